"""The shipped filing of 2024 is inline XBRL, and its figures tie; its gold is tested in test_shipped_gold.py.

Item 7 is cut here with plain lxml, apart from the package's own section finder; facts are read from the inline XBRL.
"""

import re
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from fingreat.edgar import read_section
from fingreat.schema.records import SectionStatus

SHIPPED = Path(__file__).resolve().parents[1] / "fingreat" / "shipped"
FILING = SHIPPED / "quernholt-2024.htm"
YEARS = {2024: "c-1", 2023: "c-2", 2022: "c-3"}
DATES = {2024: "c-4", 2023: "c-5", 2022: "c-6", 2021: "c-7"}
EQUITY = "StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest"
CASH = "CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents"


@cache
def root() -> etree._Element:
    """The filing through lxml's strict XML parser, which refuses anything that is not well formed."""
    return etree.parse(FILING, etree.XMLParser(resolve_entities=False, no_network=True)).getroot()


def plain(element: etree._Element) -> str:
    return " ".join("".join(element.itertext()).split())


@cache
def item7_blocks() -> tuple[etree._Element, ...]:
    body = root().find("{*}body")
    blocks = [b for b in body if isinstance(b.tag, str)]
    starts = {no: i for i, b in enumerate(blocks) for no in ("7", "7A") if plain(b).startswith(f"Item {no}. ")}
    return tuple(blocks[starts["7"] : starts["7A"]])


@cache
def item7_text() -> str:
    return " ".join(plain(b) for b in item7_blocks())


@cache
def facts() -> dict[tuple[str, str], Decimal]:
    """Each tagged number in its own unit, by concept and context; the same fact tagged twice must agree."""
    found: dict[tuple[str, str], Decimal] = {}
    for node in root().iterfind(".//{*}nonFraction"):
        shown = plain(node).replace(",", "")
        value = Decimal(0) if shown == "—" else Decimal(shown) * 10 ** int(node.get("scale"))
        value = -value if node.get("sign") == "-" else value
        key = (node.get("name").split(":")[1], node.get("contextRef"))
        assert found.setdefault(key, value) == value, key
    return found


def millions(concept: str, context: str) -> Decimal:
    return facts()[concept, context] / 1_000_000


def total(context: str, plus: str, minus: str = "") -> Decimal:
    return sum((millions(c, context) for c in plus.split()), Decimal(0)) - sum(
        (millions(c, context) for c in minus.split()), Decimal(0)
    )


def test_filing_is_well_formed_inline_xbrl_with_all_items_and_a_modest_size() -> None:
    assert FILING.stat().st_size < 900_000
    text = plain(root())
    numbers = [*map(str, range(1, 17)), "1A", "1B", "1C", "7A", "9A", "9B", "9C"]
    headings = [plain(b) for b in root().find("{*}body") if isinstance(b.tag, str)]
    missing = [n for n in numbers if not any(h.startswith(f"Item {n}. ") for h in headings)]
    assert missing == []
    assert "TABLE OF CONTENTS" in text
    assert "SIGNATURES" in text
    assert root().find(".//{*}header") is not None
    assert root().find(".//{*}continuation") is not None


def test_every_link_context_unit_and_continuation_leads_somewhere() -> None:
    ids = {e.get("id") for e in root().iter() if e.get("id")}
    assert len(ids) == sum(1 for e in root().iter() if e.get("id"))
    for attribute in ("contextRef", "unitRef", "continuedAt"):
        assert {e.get(attribute) for e in root().iter() if e.get(attribute)} <= ids
    assert {a.get("href")[1:] for a in root().iterfind(".//{*}a")} <= ids


@pytest.mark.parametrize("context", YEARS.values(), ids=map(str, YEARS))
def test_income_statement_adds_up(context: str) -> None:
    m = millions
    sales = "RevenueFromContractWithCustomerExcludingAssessedTax FinancialServicesRevenue"
    assert total(context, sales) == m("Revenues", context)
    assert total(context, "CostOfGoodsAndServicesSold FinancialServicesCosts") == m("CostOfRevenue", context)
    assert total(context, "Revenues", "CostOfRevenue") == m("GrossProfit", context)
    expenses = (
        "SellingGeneralAndAdministrativeExpense ResearchAndDevelopmentExpense AmortizationOfIntangibleAssets "
        "ProvisionForLoanAndLeaseLosses RestructuringCostsAndAssetImpairmentCharges"
    )
    assert total(context, expenses) == m("OperatingExpenses", context)
    assert total(context, "GrossProfit", "OperatingExpenses") == m("OperatingIncomeLoss", context)
    other = "OperatingIncomeLoss InvestmentIncomeInterest GainLossOnSaleOfBusiness OtherNonoperatingIncomeExpense"
    continuing = total(context, other, "InterestExpenseNonoperating IncomeTaxExpenseBenefit")
    net = continuing + m("IncomeLossFromDiscontinuedOperationsNetOfTax", context)
    assert net == m("ProfitLoss", context)
    assert total(context, "ProfitLoss", "NetIncomeLossAttributableToNoncontrollingInterest") == m(
        "NetIncomeLoss", context
    )


@pytest.mark.parametrize("context", [DATES[2024], DATES[2023]], ids=["2024", "2023"])
def test_balance_sheet_balances(context: str) -> None:
    assert total(context, f"Liabilities {EQUITY}") == millions("Assets", context)
    assert millions("Assets", context) == millions("LiabilitiesAndStockholdersEquity", context)
    assert total(context, "CashAndCashEquivalentsAtCarryingValue RestrictedCashCurrent") == millions(CASH, context)
    parts = (
        "CommonStockIncludingAdditionalPaidInCapital RetainedEarningsAccumulatedDeficit "
        "AccumulatedOtherComprehensiveIncomeLossNetOfTax MinorityInterest"
    )
    assert total(context, parts, "TreasuryStockCommonValue") == millions(EQUITY, context)


@pytest.mark.parametrize("year", YEARS)
def test_cash_flows_add_up_and_roll_the_balance_forward(year: int) -> None:
    now = YEARS[year]
    financing = total(
        now,
        "ProceedsFromIssuanceOfLongTermDebt ProceedsFromRepaymentsOfLinesOfCredit ProceedsFromRepaymentsOfSecuredDebt "
        "ProceedsFromStockOptionsExercised ProceedsFromStockPlans",
        "RepaymentsOfLongTermDebt PaymentsOfDebtIssuanceCosts PaymentForDebtExtinguishmentOrDebtPrepaymentCost "
        "PaymentsOfDividendsCommonStock PaymentsForRepurchaseOfCommonStock PaymentsToMinorityShareholders "
        "PaymentsRelatedToTaxWithholdingForShareBasedCompensation",
    )
    investing = total(
        now,
        "ProceedsFromDivestitureOfBusinesses ProceedsFromSaleAndMaturityOfAvailableForSaleSecurities "
        "ProceedsFromCollectionOfFinanceReceivables ProceedsFromSaleOfPropertyPlantAndEquipment",
        "PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireBusinessesNetOfCashAcquired "
        "PaymentsToAcquireAvailableForSaleSecuritiesDebt PaymentsToAcquireFinanceReceivables",
    )
    operating = total(
        now,
        "ProfitLoss Depreciation AmortizationOfIntangibleAssets AmortizationOfFinancingCosts ShareBasedCompensation "
        "ProvisionForLoanAndLeaseLosses ImpairmentOfIntangibleAssetsIndefinitelivedExcludingGoodwill "
        "InventoryWriteDown DeferredIncomeTaxExpenseBenefit IncreaseDecreaseInAccountsPayable "
        "IncreaseDecreaseInAccruedLiabilities IncreaseDecreaseInAccruedIncomeTaxesPayable",
        "GainLossOnSaleOfBusiness GainsLossesOnExtinguishmentOfDebt PensionAndOtherPostretirementBenefitContributions "
        "IncreaseDecreaseInAccountsReceivable IncreaseDecreaseInInventories "
        "IncreaseDecreaseInPrepaidDeferredExpenseAndOtherAssets",
    )
    assert operating == millions("NetCashProvidedByUsedInOperatingActivities", now)
    assert investing == millions("NetCashProvidedByUsedInInvestingActivities", now)
    assert financing == millions("NetCashProvidedByUsedInFinancingActivities", now)
    currency = millions("EffectOfExchangeRateOnCashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents", now)
    start, end = millions(CASH, DATES[year - 1]), millions(CASH, DATES[year])
    assert start + operating + investing + financing + currency == end


@pytest.mark.parametrize("year", YEARS)
def test_equity_rolls_forward_and_its_columns_sum_to_the_total(year: int) -> None:
    now, opening, closing = YEARS[year], DATES[year - 1], DATES[year]
    columns = [millions(EQUITY, f"i-{year}-{c}") for c in ("apic", "re", "aoci", "ts", "nci")]
    assert sum(columns) == millions(EQUITY, closing)
    # the non-cash items of the year: shares issued for a business and for notes; the accounting change of 2024
    special = total(now, "StockIssued1 DebtConversionConvertedInstrumentAmount1") - (Decimal("1.5") * (year == 2024))
    moved = total(
        now,
        "ProfitLoss OtherComprehensiveIncomeLossNetOfTax ShareBasedCompensation ProceedsFromStockOptionsExercised "
        "ProceedsFromStockPlans",
        "PaymentsOfDividendsCommonStock PaymentsForRepurchaseOfCommonStock PaymentsToMinorityShareholders "
        "PaymentsRelatedToTaxWithholdingForShareBasedCompensation",
    )
    assert millions(EQUITY, opening) + moved + special == millions(EQUITY, closing)


def test_discussion_agrees_with_the_statements() -> None:
    named = {
        "Revenues": "Total revenues grew 2.5% to ${}",
        "CostOfGoodsAndServicesSold": "Cost of sales decreased $4.5 million, or 0.6%, to ${}",
        "SellingGeneralAndAdministrativeExpense": "They increased $13.3 million, or 6.1%, to ${}",
        "InterestExpenseNonoperating": "increased $3.3 million, or 14.7%, to ${}",
        "IncomeTaxExpenseBenefit": "The provision for income taxes was ${}",
        "NetCashProvidedByUsedInOperatingActivities": "Net cash provided by operating activities was ${}",
        "PaymentsToAcquirePropertyPlantAndEquipment": "We spent ${}",
        "PaymentsOfDividendsCommonStock": "We paid dividends of ${}",
        "PaymentsForRepurchaseOfCommonStock": "shares of our common stock for ${}",
        "ProceedsFromStockOptionsExercised": "which brought in ${}",
    }
    for concept, phrase in named.items():
        assert phrase.format(f"{millions(concept, YEARS[2024]):,.1f} million") in item7_text(), concept


def test_discussion_is_long_and_holds_five_money_tables() -> None:
    prose = [b for b in item7_blocks() if b.find(".//{*}table") is None]
    assert sum(len(plain(b).split()) for b in prose) >= 2_500
    assert sum(1 for b in item7_blocks() if b.find(".//{*}table") is not None and "$" in plain(b)) >= 5


def test_pages_break_paragraphs_and_a_sentence_in_two() -> None:
    texts = [plain(b) for b in item7_blocks() if plain(b)]
    footers = [i for i, t in enumerate(texts) if re.fullmatch(r"Quernholt Corporation \| 2024 Form 10-K \| \d+", t)]
    assert len(footers) >= 5
    assert any(re.search(r"[a-z,]$", texts[i - 1]) and texts[i + 2][0].islower() for i in footers)


def test_finder_ends_the_discussion_before_item_7a() -> None:
    section = read_section(FILING, "7")
    assert section.status is SectionStatus.FOUND
    assert section.next_heading is not None
    assert section.next_heading.startswith("Item 7A")

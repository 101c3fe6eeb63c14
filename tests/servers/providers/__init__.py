"""A provider on loopback: models that say what a test has them say, in a provider's own language.

    from servers.answers import cut, delayed, dribbling, reset
    from servers.providers.local import LocalProvider
    from servers.providers.openai import OpenAIWire, broken, rate_limited
    from servers.providers.said import Said

    with LocalProvider(OpenAIWire(models={"small": {"max_model_len": 8192}})) as provider:
        provider.base                                       # "http://127.0.0.1:40123", without a provider's own path
        provider.say(Said('{"extractions": []}'))           # to all
        provider.say(lambda prompt: Said(prompt[-10:]))     # by the text of the last message
        provider.fail(rate_limited(after=2), times=3)       # the next three requests, whatever they are
        provider.fail(delayed(0.5), "row 7")                # what holds this text, always
        provider.fail(reset(), "row 8", times=1, spare=1)   # its second try
        provider.heal()                                     # no more faults
        provider.log.count("/v1/chat/completions"), provider.log.requests[0].body, provider.asked("row 7")

Faults of the line are in `servers.answers`, those of a provider beside its language. A language is a class with
`answer(asked, says) -> Answer | None`, None for a path that is not its own; several can be given.
"""

"""Traces, for who operates the installation (docs/operate/monitor.md#traces): where the time of a request or task goes.

Other code opens `spans` around its work. Where no collector is named they do nothing, and the OpenTelemetry library,
whose import takes a quarter of a second, is not imported; `export` begins it otherwise.

A span never holds what people keep to themselves: no path or query (some are credentials), no values of statements, no
names, no messages of errors, of which only the class is told. The host of a webhook is the one thing that people wrote.
"""

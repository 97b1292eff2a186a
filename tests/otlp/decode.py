"""Decodes a request of traces, as hexadecimal on each line of the standard input, with the official package;
prints each as one line of JSON."""

import sys

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

for line in sys.stdin:
    request = ExportTraceServiceRequest()
    request.ParseFromString(bytes.fromhex(line))
    assert request.SerializeToString(), "empty"
    print(MessageToJson(request, indent=None))

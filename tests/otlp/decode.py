"""Decodes requests of traces, or of the signal that is named (metrics, logs), as hexadecimal on each line of the standard
input, with the official package; prints each as one line of JSON."""

import sys

from google.protobuf.json_format import MessageToJson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

REQUESTS = {"traces": ExportTraceServiceRequest, "metrics": ExportMetricsServiceRequest, "logs": ExportLogsServiceRequest}

for line in sys.stdin:
    request = REQUESTS[sys.argv[1] if len(sys.argv) > 1 else "traces"]()
    request.ParseFromString(bytes.fromhex(line))
    assert request.SerializeToString(), "empty"
    print(MessageToJson(request, indent=None))

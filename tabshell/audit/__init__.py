"""Facts and tab -> findings, traces, reports."""

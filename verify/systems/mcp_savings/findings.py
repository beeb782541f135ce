"""What a reader of mcp-savings' figures should know: its own kinds of finding."""

from __future__ import annotations

from verify.findings import Kind, register

register(
    # --- servers and their tools
    Kind(
        "server_unmeasured",
        "warning",
        "Servers that nobody could measure",
        "They are in no sum: what they cost or save is not known, and is not 0. Lay down what they "
        "answer to tools/list.",
    ),
    Kind(
        "nothing_measured",
        "info",
        "There is nothing to add up",
        "A sum over nothing is n/a and never 0.",
    ),
    Kind(
        "server_not_recounted",
        "warning",
        "Servers whose figures are the program's own",
        "Their tool lists were not given. The sums are made of what the program measured, which "
        "proves nothing about it.",
    ),
    Kind(
        "server_foreign",
        "warning",
        "Tools of a server that the host does not name",
        "There is a tool list or a measurement of it, but nothing says that the host knows it; it "
        "is in no sum.",
    ),
    Kind(
        "servers_disagree",
        "warning",
        "The snapshot's measurement is of other servers than the configuration",
        "Since it was taken, servers came, went, or were switched. The configuration counts.",
    ),
    Kind(
        "enabled_assumed",
        "warning",
        "Nothing says which servers are on",
        "Neither a configuration nor a measurement was given; each server is taken to be on.",
    ),
    Kind(
        "tools_paged",
        "warning",
        "A tool list is only the first page",
        "The server said that there is more; what that weighs is not known.",
    ),
    Kind(
        "tool_repeated",
        "warning",
        "A server lists two tools of one name",
        "Each of them is counted, as the program counts them.",
    ),
    Kind(
        "key_repeated",
        "warning",
        "A key stands twice in one object of a tool list",
        "JavaScript takes the last value, and so does this count; other programs take the first.",
    ),
    Kind(
        "model_unknown",
        "warning",
        "No model is known",
        "Tokens are n/a. Name the model with --set model=NAME.",
    ),
    Kind(
        "tokens_not_available",
        "info",
        "No tokenizer is known for the model",
        "Its tokens are n/a, which is not 0. They do not follow from the bytes.",
    ),
    Kind(
        "tokenizer_missing",
        "warning",
        "Tokens were not counted: the tokenizer is not installed",
        "Bytes are exact without it. It is an extra of this package.",
    ),
    # --- the host's own tools
    Kind(
        "host_tools_unweighed",
        "info",
        "The host's own tools come without their schemas",
        "Their bytes are the host's count and cannot be counted again; sums, shares and servers "
        "are computed from them.",
    ),
    Kind(
        "id_not_attributed",
        "info",
        "Tools that a looser rule would have given to a server",
        "Their ids begin with a server's bare name. They may be the host's own, and switching the "
        "server off need not save them: they belong to no server.",
    ),
    Kind(
        "server_only_in_host_list",
        "warning",
        "A server that only the host's own list names",
        "Neither the configuration nor the measurement knows it. Its tools are attributed to it "
        "all the same, since the host did so.",
    ),
    # --- sessions
    Kind(
        "session_name_twice",
        "warning",
        "Two projects have a session of one name",
        "Both count here. The program keeps a session's tokens under its name alone, so that its "
        "total has only the last of them.",
    ),
    Kind(
        "lines_without_id",
        "warning",
        "Usage on lines without an id",
        "By the program's rule such a line is passed over, and its tokens are in no sum.",
    ),
    Kind(
        "lines_malformed",
        "warning",
        "Lines of a transcript that are no JSON",
        "They are passed over. A last line may be half written; what it would add is not known.",
    ),
    Kind(
        "line_null",
        "warning",
        "A line of a transcript is null",
        "The program stops at such a line and reports nothing.",
    ),
    Kind(
        "count_not_number",
        "warning",
        "Token counts that are no number",
        "By the program's rule each counts 0.",
    ),
    Kind(
        "count_odd",
        "warning",
        "Token counts that are negative, fractions, or beyond 2^53",
        "They are added as they are written; no provider counts so.",
    ),
    Kind(
        "session_idle",
        "info",
        "Sessions outside the margin",
        "Their transcripts were last written more than 30 minutes before the time of asking. A "
        "session that is open and idle is among them, and in no sum.",
    ),
    Kind(
        "session_undated",
        "warning",
        "Transcripts of which it is not known when they were written",
        "mtimes.json does not list them: whether they are active cannot be told; they are in no "
        "sum.",
    ),
    Kind(
        "session_later",
        "warning",
        "Transcripts written after the time of asking",
        "They count as active, whole; they may hold tokens that a report of that time had not.",
    ),
    Kind(
        "times_of_files",
        "info",
        "Which sessions were active rests on the files' own times",
        "Copying a transcript changes its time. mtimes.json carries the right ones along.",
    ),
    Kind(
        "transcripts_deeper",
        "info",
        "Transcripts deeper than the program looks",
        "It reads a folder for each project and no folder inside: their tokens are in no sum.",
    ),
    # --- the wire
    Kind(
        "wire_differs",
        "warning",
        "A proxy measured other tokens than the transcripts hold",
        "Of the same session, the log of requests and the transcript give different sums.",
    ),
    Kind(
        "wire_unmeasured",
        "info",
        "Requests of which the proxy did not measure everything",
        "Where it says null, nothing is added: its sums are the least that was used.",
    ),
    Kind(
        "wire_unmatched",
        "info",
        "Requests and sessions without their counterpart",
        "The log has requests that belong to no active session, or an active session has none.",
    ),
    Kind(
        "wire_lines_unread",
        "warning",
        "Lines of the log that are no request",
        "They are left out.",
    ),
    # --- reports
    Kind(
        "pay_and_saved_added",
        "error",
        "A figure is PAY and SAVED added up",
        "One is still paid, the other is paid no more: their sum is of nothing.",
    ),
    Kind(
        "report_hides_server",
        "error",
        "A report leaves out servers that the host knows",
        "Every server has to be shown, above all one that could not be measured: it once hid most "
        "of the cost.",
    ),
    Kind(
        "zero_over_nothing",
        "warning",
        "A sum over nothing is shown as 0",
        "By the program's own rule it is n/a: nothing was measured, so nothing is known.",
    ),
    Kind(
        "report_rows_total",
        "error",
        "A report's sum is not the sum of its own rows",
        "Rows or sum are wrong, whatever was measured.",
    ),
    Kind(
        "report_contradicts_itself",
        "error",
        "A report says two things of one figure",
        "At most one of them can be right.",
    ),
    Kind(
        "report_says_error",
        "warning",
        "A report shows an error for a server that can be measured",
        "Its tool list is here; the report's sums lack it.",
    ),
    Kind(
        "report_of_other_host",
        "warning",
        "The report is of another host than the configuration",
        "Whether it shows all servers of its host cannot be told.",
    ),
    Kind(
        "figures_humanised",
        "info",
        "Figures were printed with a prefix and one decimal",
        "Each is compared within half a unit of its last digit, as printed.",
    ),
    Kind(
        "measured_when_unknown",
        "info",
        "When the servers were measured is not known",
        "The time that is shown for it is the snapshot's own.",
    ),
    Kind(
        "session_of_snapshot",
        "warning",
        "A session's tokens are the host's own count",
        "There is no record of them in the export, other than the snapshot that shows them.",
    ),
)

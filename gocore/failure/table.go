package failure

import (
	"maps"
	"slices"
)

// The codes. They are promised: programs go by them.
const (
	ToolArgument = "TOOL_ARGUMENT"

	Config       = "RUNTIME_CONFIG"
	Busy         = "RUNTIME_BUSY"
	ShuttingDown = "RUNTIME_SHUTTING_DOWN"
	Internal     = "RUNTIME_INTERNAL"

	SearchInvalidPattern    = "SEARCH_INVALID_PATTERN"
	SearchFailed            = "SEARCH_FAILED"
	SearchRawOutputOverflow = "SEARCH_RAW_OUTPUT_OVERFLOW"
	SearchAborted           = "SEARCH_ABORTED"

	SpillNotFound = "SPILL_NOT_FOUND"
	SpillFailed   = "SPILL_FAILED"
	SpillQuota    = "SPILL_QUOTA"

	EstablishBadPlan        = "ESTABLISH_BAD_PLAN"
	EstablishBadBoundary    = "ESTABLISH_BAD_BOUNDARY"
	EstablishBadEstablished = "ESTABLISH_BAD_ESTABLISHED"
	EstablishAborted        = "ESTABLISH_ABORTED"
)

// Class is the kind of a failure, under which its codes are caught together.
type Class string

// The classes.
const (
	ArgumentError  Class = "ToolArgumentError"
	ConfigError    Class = "ConfigError"
	RuntimeError   Class = "RuntimeError"
	SearchError    Class = "SearchError"
	SpillError     Class = "SpillError"
	EstablishError Class = "EstablishError"
)

// Mender is who can do something about a failure.
type Mender string

// The menders.
const (
	// Caller: other arguments help; a model that reads the message can write them.
	Caller Mender = "caller"
	// Time: the same call helps later.
	Time Mender = "time"
	// Program: the program between the model and the runtime did it, by what it
	// handed back, by how little time it gave, or by ending the call.
	Program Mender = "program"
	// Installation: whoever installed or configured the runtime, or its machine.
	Installation Mender = "installation"
)

func (m Mender) retryable() bool { return m == Caller || m == Time }

// Row is one code.
type Row struct {
	Code  string `json:"code"`
	Class Class  `json:"class"`
	// Number is the code's number in JSON-RPC, outside the range that JSON-RPC
	// keeps for itself (-32768..-32000).
	Number int64 `json:"number"`
	// Mender is who can mend it where the error itself does not say.
	Mender Mender `json:"mender"`
	// When is the line of the documentation, in Markdown.
	When string `json:"when"`
}

// Rows is the table, by number.
func Rows() []Row {
	return slices.SortedFunc(maps.Values(table), func(a, b Row) int { return int(a.Number - b.Number) })
}

// Number is the number of a code.
func Number(code string) int64 {
	if row, listed := table[code]; listed {
		return row.Number
	}
	return table[Internal].Number
}

var table = index([]Row{
	{ToolArgument, ArgumentError, 1001, Caller,
		"an argument, a parameter or a key of `_meta` is unknown, missing, of another type or out of range; `details.argument` names it"},
	{Config, ConfigError, 1002, Installation,
		"the configuration is at fault (only at the start, on standard error)"},
	{Busy, RuntimeError, 1003, Time,
		"too many calls are waiting; nothing was done; retryable"},
	{ShuttingDown, RuntimeError, 1004, Program,
		"the runtime ends and the call had not begun"},
	{Internal, RuntimeError, 1005, Installation,
		"a fault of the runtime"},
	{SearchInvalidPattern, SearchError, 1101, Caller,
		"ripgrep rejects the pattern or the glob; `details.suggestion` is a pattern to use instead"},
	{SearchFailed, SearchError, 1102, Installation, // of a path, the caller
		"the place cannot be searched (`details.path`), ripgrep cannot be run or died (`details.sidecar`, `exitCode`, `signal`, `stderr`), or the results have changed between two pages (`details.reason` is `changed`)"},
	{SearchRawOutputOverflow, SearchError, 1103, Caller,
		"ripgrep printed more than `rawOutputMaxBytes`, or a page is larger than a message may be (`details.reason`); `details.found` counts what had been found"},
	{SearchAborted, SearchError, 1104, Program, // of a time-out, the caller
		"`details.reason` is `timeout`, `cancelled` or `shutdown`; `details.found` counts what had been found"},
	{SpillNotFound, SpillError, 1201, Program,
		"the owner has no such saved result; another owner's answers the same"},
	{SpillFailed, SpillError, 1202, Installation,
		"the store could not do its work"},
	{SpillQuota, SpillError, 1203, Time,
		"the text does not fit under `spillMaxBytes`; retryable"},
	{EstablishBadPlan, EstablishError, 1301, Program,
		"a plan that was handed in is malformed; `details.field` says where"},
	{EstablishBadBoundary, EstablishError, 1302, Program,
		"the same of a boundary"},
	{EstablishBadEstablished, EstablishError, 1303, Program,
		"the same of an establishment that was handed back"},
	{EstablishAborted, EstablishError, 1304, Program,
		"the time was over before it was complete; there is no partial answer"},
})

func index(rows []Row) map[string]Row {
	all := make(map[string]Row, len(rows))
	for _, row := range rows {
		all[row.Code] = row
	}
	return all
}

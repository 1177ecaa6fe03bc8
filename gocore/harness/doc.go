// Package harness is where the parts of the runtime meet: it turns a
// configuration into one Runtime, the only API behind the command, the server
// and the in-process facade.
//
// It decides which parts are put together and with what bounds. It holds no
// logic of a search, a page or a judgement: those packages do.
package harness

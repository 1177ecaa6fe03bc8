package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// resident is a driver that stays: it is started once and asked one errand after
// the other, a line of JSON each, and answers a line for a line. What takes long
// to start need not start for every vector.
type resident struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines chan []byte
}

// errand is a question with what a process of its own would have been given. The
// driver sees to it that one errand leaves nothing behind for the next.
type errand struct {
	Question question `json:"question"`
	Dir      string   `json:"dir"`
	Environ  []string `json:"environ"`
	// User is whom to become first; null for nobody else.
	User *int `json:"user"`
}

// maxAnswer bounds a line in bytes: all pages of the largest vector, many times.
const maxAnswer = 64 << 20

func startResident(command []string) (*resident, error) {
	r := &resident{cmd: exec.Command(command[0], command[1:]...), lines: make(chan []byte)}
	r.cmd.Stderr = os.Stderr
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, maxAnswer)
	go func() {
		defer close(r.lines)
		for scan.Scan() {
			r.lines <- append([]byte(nil), scan.Bytes()...)
		}
	}()
	return r, r.cmd.Start()
}

func (r *resident) ask(e errand) (a answer, err error) {
	if err := json.NewEncoder(r.in).Encode(e); err != nil {
		return answer{}, fmt.Errorf("ask the driver: %w", err)
	}
	timer := time.NewTimer(caseTimeout)
	defer timer.Stop()
	select {
	case line, ok := <-r.lines:
		if !ok {
			return answer{}, errors.New("the driver has ended")
		}
		return a, json.Unmarshal(line, &a)
	case <-timer.C:
		_ = r.cmd.Process.Kill() // its next answer would be taken for another's
		return answer{}, fmt.Errorf("no answer within %v", caseTimeout)
	}
}

func (r *resident) end() error {
	r.in.Close()
	return r.cmd.Wait()
}

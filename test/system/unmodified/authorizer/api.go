// An API without any check of tokens: it answers with what it received.
package main

import (
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"sort"
	"strings"
)

func answer(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ws" && strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		answerSocket(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	fmt.Fprint(w, received(r, string(body)))
}

var shown = regexp.MustCompile("caller|override|method|original|rewrite|prefix")

func received(r *http.Request, body string) string {
	var fields []string
	for name, values := range r.Header {
		lower := strings.ToLower(name)
		if (shown.MatchString(lower) || lower == "upgrade") && values[0] != "" {
			fields = append(fields, lower+"="+strings.Join(values, ","))
		}
	}
	sort.Strings(fields)
	return strings.Join(append([]string{"API", r.Method, r.RequestURI, body}, fields...), " ")
}

// Reads one short text of the client, and answers it.
func answerSocket(w http.ResponseWriter, r *http.Request) {
	hash := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	connection, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		log.Print(err)
		return
	}
	defer connection.Close()
	fmt.Fprintf(connection, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(hash[:]))
	head := make([]byte, 6)
	if _, err := io.ReadFull(buffered, head); err != nil {
		return
	}
	body := make([]byte, head[1]&127)
	if _, err := io.ReadFull(buffered, body); err != nil {
		return
	}
	for index := range body {
		body[index] ^= head[2+index%4]
	}
	text := received(r, string(body))
	connection.Write(append(binary.BigEndian.AppendUint16([]byte{0x81, 126}, uint16(len(text))), text...))
}

func main() {
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], http.HandlerFunc(answer)))
}

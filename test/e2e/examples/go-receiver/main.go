// Receives webhooks, with nothing but Go's own library.
//
//	SECRET=whsec_… PORT=3000 go run .
//
// Verifies the signatures v1 (SECRET is whsec_…) and v1a (SECRET is the public key whpk_…) of Standard Webhooks, which Hookline sends with
// every request, and handles each event once. What is done is kept in memory here: keep it in your database, and it outlives a restart.
package main

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	tolerance    = 300 * time.Second
	maxBodyBytes = 1 << 20
)

// handle is your work. After an error, Hookline sends the event again.
func handle(id, eventType string, body []byte) error {
	if !json.Valid(body) {
		return errors.New("not JSON")
	}
	fmt.Printf("handled %s %s\n", id, eventType)
	return nil
}

// verify says why a request is refused, or 0. Only the bytes as they came are what was signed.
func verify(secret string, header http.Header, body []byte, now time.Time) int {
	id, sentAt := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(sentAt, 10, 40)
	if err != nil {
		return http.StatusBadRequest
	}
	if now.Sub(time.Unix(int64(seconds), 0)).Abs() > tolerance {
		return http.StatusUnauthorized
	}
	message := append([]byte(id+"."+sentAt+"."), body...)
	// Several while a secret is rotated.
	for _, signature := range strings.Split(header.Get("webhook-signature"), " ") {
		version, text, _ := strings.Cut(signature, ",")
		given, err := base64.StdEncoding.DecodeString(text)
		if err == nil && isSignedBy(secret, version, message, given) {
			return 0
		}
	}
	return http.StatusUnauthorized
}

func isSignedBy(secret, version string, message, signature []byte) bool {
	if text, found := strings.CutPrefix(secret, "whpk_"); found {
		key, err := base64.StdEncoding.DecodeString(text)
		return version == "v1a" && err == nil && len(key) == ed25519.PublicKeySize && ed25519.Verify(key, message, signature)
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 || version != "v1" {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write(message)
	return hmac.Equal(mac.Sum(nil), signature)
}

// once has the state of each event: absent, being handled (false) or done (true).
type once struct {
	sync.Mutex
	done map[string]bool
}

func (o *once) claim(id string) (isClaimed, isDone bool) {
	o.Lock()
	defer o.Unlock()
	isDone, isKnown := o.done[id]
	if !isKnown {
		o.done[id] = false
	}
	return !isKnown, isDone
}

func (o *once) end(id string, err error) {
	o.Lock()
	defer o.Unlock()
	if err != nil {
		delete(o.done, id)
	} else {
		o.done[id] = true
	}
}

func main() {
	secret := os.Getenv("SECRET")
	if secret == "" {
		log.Fatal("SECRET is not set")
	}
	events := &once{done: map[string]bool{}}
	receive := func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
		if err != nil {
			response.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		if status := verify(secret, request.Header, body, time.Now()); status != 0 {
			response.WriteHeader(status)
			return
		}
		id := request.Header.Get("webhook-id")
		isClaimed, isDone := events.claim(id)
		if !isClaimed && !isDone {
			// Not 2xx: the request that is handling it may still fail.
			response.Header().Set("Retry-After", "5")
			response.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		if isClaimed {
			err := handle(id, request.Header.Get("hookline-event-type"), body)
			events.end(id, err)
			if err != nil {
				log.Printf("failed %s: %v", id, err)
				response.WriteHeader(http.StatusInternalServerError)
				return
			}
		}
		response.WriteHeader(http.StatusNoContent)
	}

	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	server := http.Server{Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second}
	log.Fatal(server.Serve(listener))
}

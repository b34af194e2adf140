// A resource server of net/http, golang-jwt and keyfunc, as their pages show it. With the argument "go-cached",
// verified tokens are kept until they expire, 1000 at most.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

type claims struct {
	jwt.RegisteredClaims
	Roles []string `json:"roles"`
}

type verify func(token string) (*claims, error)

func verifier(ctx context.Context) (verify, error) {
	keys, err := keyfunc.NewDefaultCtx(ctx, []string{os.Getenv("KEY_SET_URL")})
	if err != nil {
		return nil, err
	}
	parser := jwt.NewParser(
		jwt.WithValidMethods([]string{"RS256"}),
		jwt.WithIssuer(os.Getenv("ISSUER")),
		jwt.WithAudience(os.Getenv("AUDIENCE")),
		jwt.WithExpirationRequired(),
	)
	return func(token string) (*claims, error) {
		found := &claims{}
		_, err := parser.ParseWithClaims(token, found, keys.Keyfunc)
		return found, err
	}, nil
}

const mostKept = 1000

func cached(check verify) verify {
	var kept sync.Map
	var count atomic.Int64
	return func(token string) (*claims, error) {
		if found, ok := kept.Load(token); ok && time.Now().Before(found.(*claims).ExpiresAt.Time) {
			return found.(*claims), nil
		}
		found, err := check(token)
		if err != nil {
			return nil, err
		}
		if count.Add(1) > mostKept {
			kept.Clear()
			count.Store(1)
		}
		kept.Store(token, found)
		return found, nil
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	check, err := verifier(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if slices.Contains(os.Args, "go-cached") {
		check = cached(check)
	}
	role := os.Getenv("ROLE")
	hi := func(response http.ResponseWriter) {
		response.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(response, "Hi")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(response http.ResponseWriter, _ *http.Request) { hi(response) })
	mux.HandleFunc("GET /api/v1/hi", func(response http.ResponseWriter, request *http.Request) {
		token, ok := strings.CutPrefix(request.Header.Get("Authorization"), "Bearer ")
		if !ok {
			response.WriteHeader(http.StatusUnauthorized)
			return
		}
		found, err := check(token)
		switch {
		case err != nil:
			response.WriteHeader(http.StatusUnauthorized)
		case !slices.Contains(found.Roles, role):
			response.WriteHeader(http.StatusForbidden)
		default:
			hi(response)
		}
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Handler: mux}
	context.AfterFunc(ctx, func() { server.Close() })
	fmt.Printf("{\"msg\":\"listening\",\"url\":\"http://%s\"}\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

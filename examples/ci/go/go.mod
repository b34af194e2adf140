module orders.example

go 1.24

require (
	github.com/MicahParks/keyfunc/v3 v3.8.0
	github.com/golang-jwt/jwt/v5 v5.3.1
)

require (
	github.com/MicahParks/jwkset v0.11.0 // indirect
	golang.org/x/time v0.9.0 // indirect
)

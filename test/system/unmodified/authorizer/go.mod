module greeting/api

go 1.24

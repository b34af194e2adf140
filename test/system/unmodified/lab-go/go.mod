module greeting/lab

go 1.21

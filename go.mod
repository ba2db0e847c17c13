module ringcheck

go 1.26.8

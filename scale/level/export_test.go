package level

func init() { leastTask, leastInBlock = 40, 1 }

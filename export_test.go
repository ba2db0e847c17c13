package ringcheck

import "time"

// SetAdviceTime sets the time for advice until the returned function is called.
func SetAdviceTime(d time.Duration) (reset func()) {
	before, late := adviceTime, lateAdvice
	adviceTime, lateAdvice = d, d
	return func() { adviceTime, lateAdvice = before, late }
}

package check

// Bounds is the domain, for tests on specs.
type Bounds = bounds

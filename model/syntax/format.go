package syntax

// FormatExpr returns e as Print writes it, on one line.
func FormatExpr(e Expr) string { return exprString(e, 0, true) }

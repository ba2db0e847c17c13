protocol p "unterminated
param n: 2..4 "tab\tin"
event e "fine \"quoted\" and \\"

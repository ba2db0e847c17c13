protocol p "tabs and wide runes"
process p =
	if p	= 0 the A else B
const 名前 = 2 "文字列" 3
const a = "日本" == 2

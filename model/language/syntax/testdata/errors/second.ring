protocol p
topology directed ring of n
topology directed ring of n
protocol q
process p = stop
process q = stop

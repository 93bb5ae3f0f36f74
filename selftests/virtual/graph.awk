# SPDX-License-Identifier: GPL-2.0-or-later
# Self times from function_graph's text (with funcgraph-tail). For each function a line
#   NAME calls self children usual
# where self is its nanoseconds less those of the traced functions it called, children how many those were, and usual the
# time that most of its calls took.

function ended(name, ns, within, kids_) {
	calls[name]++
	self[name] += ns - within
	children[name] += kids_
	if (++times[name, ns] > most[name]) {
		most[name] = times[name, ns]
		usual[name] = ns
	}
	if (depth) {
		child[depth] += ns
		kids[depth]++
	}
}

# "0.211 us", behind the CPU and a mark for long ones; nanoseconds.
function duration(text,  part) {
	if (!match(text, /[0-9]+\.[0-9]+ us/))
		return 0
	split(substr(text, RSTART, RLENGTH), part, /[. ]/)
	return part[1] * 1000 + part[2] * (length(part[2]) == 3 ? 1 : length(part[2]) == 2 ? 10 : 100)
}

/^#/ { next }
{
	bar = index($0, "|")
	if (!bar)
		next
	ns = duration(substr($0, 1, bar))
	text = substr($0, bar + 1)
	sub(/^ +/, "", text)
	name = text
	if (text ~ /^\}/) {
		sub(/^\} *\/\* */, "", name)
		sub(/ .*/, "", name)
		# What began before the trace did has no beginning here.
		if (!depth || open[depth] != name) {
			depth = 0
			next
		}
		depth--
		ended(name, ns, child[depth + 1], kids[depth + 1])
	} else if (text ~ /\{$/) {
		sub(/[( ].*/, "", name)
		open[++depth] = name
		child[depth] = kids[depth] = 0
	} else if (text ~ /;$/) {
		sub(/[( ].*/, "", name)
		ended(name, ns, 0, 0)
	}
}

END {
	for (name in calls)
		print name, calls[name], self[name], children[name], usual[name]
}

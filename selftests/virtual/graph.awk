# SPDX-License-Identifier: GPL-2.0-or-later
# Self times from function_graph's text (with funcgraph-tail). What the usual datagram took: from one call of the function
# "first" to the next is a datagram, and of those that a function was met in, the most frequent combination counts. So what
# comes now and then, a timer's interrupt or a fresh page of the trace buffer, is left out. For each function a line
#   NAME datagrams calls self children
# where datagrams is how many of them had that combination, self its nanoseconds less those of the traced functions it
# called, and children how many those were.

function ended(name, ns, within, kids_) {
	calls[name]++
	self[name] += ns - within
	children[name] += kids_
	if (depth) {
		child[depth] += ns
		kids[depth]++
	}
}

function datagram_ended(  name, key) {
	for (name in calls) {
		key = calls[name] " " self[name] " " children[name]
		if (++times[name, key] > most[name]) {
			most[name] = times[name, key]
			usual[name] = key
		}
	}
	split("", calls)
	split("", self)
	split("", children)
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
		next
	}
	sub(/[( ].*/, "", name)
	if (name == first && !depth)
		datagram_ended()
	if (text ~ /\{$/) {
		open[++depth] = name
		child[depth] = kids[depth] = 0
	} else if (text ~ /;$/) {
		ended(name, ns, 0, 0)
	}
}

END {
	datagram_ended()
	for (name in usual)
		print name, most[name], usual[name]
}

# SPDX-License-Identifier: GPL-2.0-or-later
# Counts the results in TAP or KTAP: prints "PASSED FAILED SKIPPED SOFT" and then, a line each, what is wrong.
# SOFT counts the skips that no missing hardware explains. Only leaves count, not the lines that sum up subtests.
# Variables: status, the exit status of what printed it; kind, tap or exit.

function depth_of(line) { match(line, /^ */); return RLENGTH }

function wrong(what) { failed++; complaint[++complaints] = what }

# Ends a list of results at depth d: were there as many as planned?
function finish(d) {
	if (d in seen || d in plan) {
		if (!(d in plan))
			wrong("no plan for " seen[d] + 0 " results")
		else if (plan[d] != seen[d] + 0)
			wrong("planned " plan[d] " results, saw " seen[d] + 0)
	}
	delete plan[d]
	delete seen[d]
	delete bad[d]
}

{ sub(/\r$/, ""); last = $0 == "" ? last : $0 }
kind != "tap" { next }

/^ *(K?TAP version [0-9]+)$/ {
	# A new document at this depth. One that has ended is checked against its plan.
	d = depth_of($0)
	finish(d)
	documents++
	next
}

/^ *1\.\.[0-9]+( |$)/ {
	d = depth_of($0)
	text = $0
	sub(/^ *1\.\./, "", text)
	# Two lists in a row (several programs, one stream): the plan comes first in each.
	if (d in plan)
		finish(d)
	plan[d] = text + 0
	planned++
	if (plan[d] == 0 && text ~ /[Ss][Kk][Ii][Pp]/) {
		skipped++
		reason(text)
	}
	next
}

function reason(text) {
	if (text !~ /[Ss][Kk][Ii][Pp][^ ]* +needs hardware:/) {
		soft++
		complaint[++complaints] = "skipped: " text
	}
}

/^ *(not )?ok( |$)/ {
	d = depth_of($0)
	text = $0
	good = (text !~ /^ *not /)
	sub(/^ */, "", text)
	# Results deeper than this one are its subtests: it only sums them up.
	parent = 0
	subfailed = 0
	for (k in seen) {
		if (k + 0 > d) {
			parent = 1
			subfailed += bad[k]
			deeper[k]
		}
	}
	for (k in plan) {
		if (k + 0 > d) {
			parent = 1
			deeper[k]
		}
	}
	before = failed
	for (k in deeper)
		finish(k + 0)
	subfailed += failed - before
	delete deeper
	seen[d]++
	if (text ~ /# *([Ss][Kk][Ii][Pp])/) {
		if (!parent) {
			skipped++
			reason(text)
		}
	} else if (text ~ /# *(TODO|XFAIL)/) {
		if (!parent) {
			skipped++
		}
	} else if (good) {
		if (!parent)
			passed++
	} else {
		bad[d]++
		if (!parent || !subfailed)
			wrong(text)
	}
	next
}

/^ *Bail out!/ { wrong($0) }

END {
	if (kind == "tap") {
		for (k in seen)
			ends[k]
		for (k in plan)
			ends[k]
		for (k in ends)
			finish(k + 0)
		if (!planned)
			wrong("it printed no plan")
		# kselftest's 4 says that all was skipped.
		if (status != 0 && !failed && !(status == 4 && skipped))
			wrong("it ended with exit status " status)
	} else if (status == 0) {
		passed++
	} else if (status == 4) {
		skipped++
		reason("SKIP " last)
	} else {
		wrong("it ended with exit status " status)
	}
	print passed + 0, failed + 0, skipped + 0, soft + 0
	for (i = 1; i <= complaints; i++)
		print complaint[i]
}

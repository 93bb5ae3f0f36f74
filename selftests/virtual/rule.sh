#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The rules of a network namespace: what is asked for is what is listed, in order; what is wrong is refused in words; who
# may, and who sees them; many of them; dumps while they change.
# shellcheck source=selftests/lib/selftest.sh
. "$(dirname -- "$0")/../lib/selftest.sh"

ktap_plan 17
module_load
toll_detach
ns_add rule other
here=${ns[rule]} there=${ns[other]}

# rule ARGUMENT... - nettoll rule in the namespace of this test.
rule() { toll rule --netns "$here" "$@"; }

# rules - the words of all rules, a line each.
rules() { rule save; }

# ids - their numbers, on one line.
ids() { rule --tsv | awk 'NR > 1 { printf "%s%s", s, $1; s = " " }'; }

# added WORDS... - adds a rule, and prints its number.
added() { rule add "$@" --tsv | awk -F '\t' 'NR == 3 { print $1 }'; }

# start_with WORDS... - no rules but those, a rule an argument.
start_with() { printf '%s\n' "$@" | rule restore - --quiet; }

# refused STATUS PATTERN COMMAND... - it fails with that status and says why.
refused() {
	local wanted=$1 pattern=$2 text status=0
	shift 2
	text=$("$@" 2>&1) || status=$?
	expect "exit status of $*" "$status" -eq "$wanted"
	expect_text "what $* says" "$text" "$pattern"
}

# same WHAT GOT WANTED - and if not, how they differ.
same() {
	[ "$2" = "$3" ] || { echo "$1:"; diff <(printf '%s\n' "$3") <(printf '%s\n' "$2"); return 1; }
}

cgroup=ntt-rule-$$
every_word=(
	'proto udp zerocopy off'
	'proto tcp zerocopy sync min 1'
	'family ipv4 zerocopy pool min 4294967295'
	'family ipv6 zerocopy auto min 16K'
	'local 10.0.0.0/8 csum-tx auto'
	'local 192.168.7.1 lport 1 csum-tx hw'
	'local fd00::/8 lport 1-65535 csum-tx sw'
	'proto udp family ipv4 csum-tx none'
	'remote 10.1.0.0/16 csum-rx auto'
	'remote 10.1.2.3 rport 65535 csum-rx sw'
	'remote fd00:1:2::/47 rport 5000-5010 csum-rx trust'
	'remote ::/0 csum-rx audit audit-rate 1/1'
	'dev no-such-dev0 csum-rx audit audit-rate 1/4294967295'
	'uid 0 coalesce 64 bytes 65507 late 1s'
	'uid 1000-65534 coalesce 2 bytes 1 late 1us'
	'lport 7 coalesce 0 bytes 0 late 0s'
	'proto udp local fe80::1 lport 1-2 remote fe80::/10 rport 3-4 dev lo uid 5-6 zerocopy auto min 2K csum-tx hw coalesce 8 bytes 32K late 50us'
)

round_trip() {
	local i words json
	mkdir "/sys/fs/cgroup/$cgroup" 2>/dev/null || echo "no cgroup v2 here"
	[ ! -d "/sys/fs/cgroup/$cgroup" ] || every_word+=("cgroup /$cgroup csum-tx sw")
	start_with
	for words in "${every_word[@]}"; do
		# shellcheck disable=SC2086 # they are words
		rule add --quiet $words
	done
	same 'the rules' "$(rules)" "$(printf '%s\n' "${every_word[@]}")"
	# By number, one at a time, and as JSON, the same.
	i=0
	for id in $(ids); do
		same "rule $id" "$(rule save "$id")" "${every_word[i]}"
		i=$((i + 1))
	done
	expect 'rules by number' "$i" -eq "${#every_word[@]}"
	json=$(rule --json)
	same 'the words in JSON' "$(jq -r '.rules[].rule' <<<"$json")" "$(rules)"
	same 'all matches of the last but the cgroup' \
		"$(jq -c '.rules[16].match | del(.cgroup, .cgroup_id)' <<<"$json")" \
		'{"protocol":"udp","family":"ipv6","local":"fe80::1","local_port_min":1,"local_port_max":2,"remote":"fe80::/10","remote_port_min":3,"remote_port_max":4,"device":"lo","uid_min":5,"uid_max":6}'
	same 'its actions' "$(jq -c '.rules[16].action' <<<"$json")" \
		'{"zerocopy":"auto","zerocopy_min":2048,"csum_tx":"hw","csum_rx":null,"audit_rate":null,"coalesce_datagrams":8,"coalesce_bytes":32768,"coalesce_usecs":50}'
	[ ! -d "/sys/fs/cgroup/$cgroup" ] ||
		expect 'the number of the cgroup' "$(jq '.rules[17].match.cgroup_id' <<<"$json")" = "$(stat -c %i "/sys/fs/cgroup/$cgroup")"
	jq -e 'all(.rules[]; (.counters | add) == 0 and .fallbacks == [])' <<<"$json" >/dev/null ||
		{ echo 'a rule that met no socket has counted'; return 1; }
}

replay() {
	local before=$NTT_DIR/rules
	start_with "${every_word[@]}"
	rules >"$before"
	expect 'rules saved' "$(grep -c '' "$before")" -eq "${#every_word[@]}"
	rule flush >/dev/null
	expect 'rules after flush' "$(rules)" = ''
	expect 'the list' "$(rule)" = 'there are no rules'
	rule restore "$before" --quiet
	same 'what was restored' "$(rules)" "$(<"$before")"
	# Lines can be pasted into a shell as well.
	start_with
	sed "s|^|'$NTT_CLI' rule --netns $here --quiet add |" "$before" | bash -e
	same 'what was pasted' "$(rules)" "$(<"$before")"
}

order() {
	local a b c d e
	start_with
	a=$(added lport 1 csum-rx sw)
	b=$(added lport 2 csum-rx sw)
	rule insert lport 3 csum-rx sw >/dev/null
	rule insert before "$b" lport 4 csum-rx sw >/dev/null
	read -r c _ d _ <<<"$(ids)"
	same 'the order' "$(rules)" $'lport 3 csum-rx sw\nlport 1 csum-rx sw\nlport 4 csum-rx sw\nlport 2 csum-rx sw'
	same 'the numbers' "$(ids)" "$c $a $d $b"
	# Replaced, it stays where it is and who it is.
	rule replace "$d" lport 5 csum-rx audit >/dev/null
	same 'after replace' "$(rules)" $'lport 3 csum-rx sw\nlport 1 csum-rx sw\nlport 5 csum-rx audit\nlport 2 csum-rx sw'
	same 'the numbers after replace' "$(ids)" "$c $a $d $b"
	rule del "$a" "$b" >/dev/null
	same 'after delete' "$(rules)" $'lport 3 csum-rx sw\nlport 5 csum-rx audit'
	# No number comes twice.
	rule flush >/dev/null
	e=$(added lport 6 csum-rx sw)
	expect 'a number after flush' "$e" -gt "$d"
	expect 'a number after flush' "$e" -gt "$b"
	# One that is not there is told, and those before it are gone.
	refused 1 'no rule of that number' rule del "$e" "$e"
	expect 'rules' "$(rules)" = ''
	# Before the first, where there is none.
	rule insert lport 7 csum-rx sw >/dev/null
	same 'the only one' "$(rules)" 'lport 7 csum-rx sw'
}

# The command refuses what it cannot understand, the module what makes no sense; nothing changes.
errors() {
	start_with 'lport 7 csum-rx sw'
	local id
	id=$(ids)
	refused 2 "did you mean 'proto'" rule add prto udp csum-tx sw
	refused 2 'value is missing' rule add csum-tx
	refused 2 'has said that already' rule add lport 1 local :2 csum-tx sw
	refused 2 'out of range' rule add coalesce 65
	refused 2 'with remote PREFIX' rule add csum-rx trust
	refused 2 'with remote PREFIX' rule add remote ::/0 csum-rx trust
	refused 2 'what shall the rule match' rule add
	refused 2 "there is no verb 'ad-d'" rule ad-d
	refused 2 'not a whole number' rule del 1x
	refused 2 'its number is missing' rule replace
	refused 1 'cannot add the rule: .*without an action' rule add proto udp
	refused 1 "do not go together.*at 'remote fd00::1'" rule add local 10.0.0.1 remote fd00::1 csum-tx sw
	refused 1 "do not go together.*at 'family ipv6'" rule add family ipv6 remote 10.0.0.1 csum-tx sw
	refused 1 "UDP over IPv4.*at 'csum-tx none'" rule add csum-tx none
	refused 1 'UDP over IPv4' rule add proto udp family ipv6 csum-tx none
	refused 1 "neither uid nor cgroup.*at 'csum-rx sw'" rule add uid 0 csum-rx sw
	refused 1 "TCP does so by itself.*at 'coalesce 2'" rule add proto tcp coalesce 2
	refused 1 "no such cgroup.*at 'cgroup /no/such/group'" rule add cgroup /no/such/group csum-tx sw
	refused 1 'no rule of that number to insert before' rule insert before 4000000000 csum-rx sw
	refused 1 'cannot replace rule 4000000000: no rule of that number' rule replace 4000000000 csum-rx sw
	refused 1 'without an action' rule replace "$id" proto udp
	refused 1 'cannot show rule 4000000000: no rule of that number' rule 4000000000
	refused 1 'there is no network namespace' toll rule --netns ntt-no-such-namespace
	same 'the rules' "$(rules)" 'lport 7 csum-rx sw'
	expect 'its number' "$(ids)" = "$id"
}

# All of a file, or nothing; and the line that is to blame is named.
restore() {
	local before file=$NTT_DIR/file
	start_with 'lport 7 csum-rx sw' 'lport 8 csum-rx sw'
	before=$(ids)
	printf '%s\n' '# rules' '' 'lport 1 csum-rx sw' 'lport 2 csum-rx swap' >"$file"
	refused 1 "$file:4: there is no csum-rx 'swap'" rule restore "$file"
	same 'the rules after a line that makes no sense' "$(ids)" "$before"
	printf '%s\n' '# rules' 'lport 1 csum-rx sw' 'lport 2 csum-rx sw' '' 'proto tcp csum-tx none' 'lport 3 csum-rx sw' >"$file"
	refused 1 "$file:5: cannot add the rule: .*UDP over IPv4" rule restore "$file"
	same 'the rules after one that the module refuses' "$(ids)" "$before"
	refused 1 "$file:5: cannot add the rule: .*UDP over IPv4" rule restore "$file" --keep
	same 'the rules after the same to add' "$(ids)" "$before"
	echo 'lport 9 csum-rx sw # the only one' | rule restore - --keep >/dev/null
	same 'added' "$(rules)" $'lport 7 csum-rx sw\nlport 8 csum-rx sw\nlport 9 csum-rx sw'
	echo 'lport 9 csum-rx sw' | rule restore - >/dev/null
	same 'instead' "$(rules)" 'lport 9 csum-rx sw'
	refused 1 'No such file' rule restore "$NTT_DIR/no-such-file"
}

trust() {
	local said
	start_with
	said=$(rule add remote 192.0.2.0/24 csum-rx trust 2>&1 >/dev/null)
	expect_text 'the warning' "$said" '^nettoll: rule: warning: csum-rx trust: .*192\.0\.2\.0/24'
	said=$(rule add remote 192.0.2.0/24 csum-rx trust --quiet 2>&1)
	expect 'what --quiet says' "$said" = ''
	expect 'rules' "$(rules | grep -c trust)" -eq 2
}

# Rules are of a namespace: others neither see nor remove them, and numbers are its own.
namespaces() {
	start_with 'lport 7 csum-rx sw'
	expect 'rules in another namespace' "$(toll rule save --netns "$there")" = ''
	expect 'rules in the initial one' "$(toll rule save)" = ''
	refused 1 'no rule of that number' toll rule --netns "$there" del "$(ids)"
	toll rule --netns "$there" flush >/dev/null
	same 'the rules' "$(rules)" 'lport 7 csum-rx sw'
	same 'seen from within' "$(ip netns exec "$here" "$NTT_CLI" rule save)" 'lport 7 csum-rx sw'
}

# A namespace that goes takes its rules along, and what they needed.
namespace_goes() {
	local name=ntt$$-going
	ip netns add "$name"
	toll rule --netns "$name" add --quiet proto udp zerocopy sync
	toll rule --netns "$name" add --quiet csum-rx sw
	ip netns delete "$name"
	# It goes in its own time; the module can only be unloaded once it is gone.
	rule flush >/dev/null
	wait_until 20 module_unload
	module_load
	expect 'rules in the module loaded anew' "$(rules)" = ''
}

as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
user() {
	local bin=$NTT_DIR/for-users
	chmod 711 "$NTT_DIR"
	install -m 755 "$NTT_CLI" "$bin"
	toll rule add --quiet lport 7 csum-rx sw
	refused 3 'CAP_NET_ADMIN' "${as_user[@]}" "$bin" rule add lport 8 csum-rx sw
	refused 3 'CAP_NET_ADMIN' "${as_user[@]}" "$bin" rule insert lport 8 csum-rx sw
	refused 3 'CAP_NET_ADMIN' "${as_user[@]}" "$bin" rule del 1
	refused 3 'CAP_NET_ADMIN' "${as_user[@]}" "$bin" rule flush
	refused 3 'CAP_NET_ADMIN' "${as_user[@]}" "$bin" rule list
	refused 3 'CAP_NET_ADMIN' "${as_user[@]}" "$bin" rule 1
	# Root of a user namespace of its own is nobody in a network namespace that is not.
	unshare -Ur true 2>/dev/null && refused 3 'CAP_NET_ADMIN' unshare -Ur "$NTT_CLI" rule flush
	same 'the rules' "$(toll rule save)" 'lport 7 csum-rx sw'
	toll rule flush >/dev/null
}

own_namespace() {
	local script got
	unshare -Urn true 2>/dev/null || skip_here 'user namespaces are switched off (user.max_user_namespaces)'
	# shellcheck disable=SC2016 # the inner shell expands it
	script='set -e; "$1" rule add --quiet uid 0 csum-tx sw; "$1" rule add --quiet lport 8 csum-rx sw; "$1" rule save; "$1" rule flush --quiet; "$1" rule save'
	got=$(unshare -Urn bash -c "$script" _ "$NTT_CLI")
	same 'what root of a namespace has' "$got" $'uid 0 csum-tx sw\nlport 8 csum-rx sw'
	# A user of it has no name outside, nor has one of outside there.
	refused 1 "no such users.*at 'uid 1000'" unshare -Urn "$NTT_CLI" rule add uid 1000 csum-tx sw
	# The same user goes by two numbers.
	got=$("${as_user[@]}" unshare -Urn bash -c "$script" _ "$NTT_DIR/for-users")
	same 'what an ordinary user has in a namespace' "$got" $'uid 0 csum-tx sw\nlport 8 csum-rx sw'
}

thousand() {
	local file=$NTT_DIR/thousand i got
	for ((i = 1; i <= 1000; i++)); do
		echo "proto udp remote 10.$((i / 256)).$((i % 256)).0/24 rport $i-$((i + 10)) csum-rx audit audit-rate 1/$i"
	done >"$file"
	rule restore "$file" --quiet
	got=$(rules)
	same 'a thousand rules' "$got" "$(<"$file")"
	expect 'numbers' "$(ids | tr ' ' '\n' | sort -nu | grep -c '')" -eq 1000
	# In the middle of them.
	read -ra numbers <<<"$(ids)"
	rule del "${numbers[500]}" >/dev/null
	rule insert before "${numbers[501]}" lport 1 csum-rx sw >/dev/null
	same 'the one in the middle' "$(rules | sed -n 501p)" 'lport 1 csum-rx sw'
	rule restore "$file" --quiet
	same 'all of them anew' "$(rules)" "$got"
}

# half_dump COMMAND... - a dump of which a part is read before the command and the rest after it; sets line.
half_dump() {
	local pid
	coproc open { exec ip netns exec "$here" "$NTT_PROGS/nl_dump" open rule; }
	# shellcheck disable=SC2154 # bash sets it
	pid=$open_PID
	read -r line <&"${open[0]}"
	expect 'the dump' "$line" = open
	"$@" >/dev/null
	echo finish >&"${open[1]}"
	read -r line <&"${open[0]}"
	wait "$pid"
}

# Whoever reads on after a change is told so, and only then.
dump() {
	local first last
	expect 'rules' "$(rules | grep -c '')" -eq 1000
	half_dump true
	expect_text 'an undisturbed dump' "$line" 'finished messages=[0-9]+ interrupted=0'
	expect 'rules that came late' "$(field "$line" messages)" -gt 900
	half_dump rule insert lport 1 csum-rx sw
	expect_text 'a dump during which a rule came' "$line" 'interrupted=1'
	read -r first _ <<<"$(ids)"
	half_dump rule del "$first"
	expect_text 'a dump during which a rule went' "$line" 'interrupted=1'
	last=$(ids)
	half_dump rule replace "${last##* }" lport 2 csum-rx sw
	expect_text 'a dump during which a rule was replaced' "$line" 'interrupted=1'
	half_dump rule flush
	expect_text 'a dump during which all rules went' "$line" 'interrupted=1'
}

# A rule that fills a message by itself is listed like any other.
long_path() {
	local path
	[ -d "/sys/fs/cgroup/$cgroup" ] || skip_here 'no cgroup v2 here'
	printf -v path '%*s%s' $((4095 - ${#cgroup})) '' "$cgroup"
	path=${path// //}
	start_with 'lport 1 csum-rx sw' "cgroup $path csum-tx sw" 'lport 2 csum-rx sw'
	same 'the rules' "$(rules)" $'lport 1 csum-rx sw\n'"cgroup $path csum-tx sw"$'\nlport 2 csum-rx sw'
	read -r _ id _ <<<"$(ids)"
	same 'the rule by number' "$(rule save "$id")" "cgroup $path csum-tx sw"
	# Whoever reads in parts that it does not fit in may see an error, but not a list without it.
	if half_dump true; then
		expect 'rules behind the first part' "$(field "$line" messages)" -ge 2
	fi
	rule flush >/dev/null
}

# Changes are told to who listens in the namespace, and to nobody else.
monitor() {
	local log=$NTT_DIR/changes outside=$NTT_DIR/changes-outside id
	start_with
	ip netns exec "$here" "$NTT_CLI" monitor --json >>"$log" &
	defer end_process $!
	ip netns exec "$there" "$NTT_CLI" monitor --json >>"$outside" &
	defer end_process $!
	listens() { rule flush >/dev/null; [ -s "$log" ]; }
	wait_until 20 listens
	listens_outside() { toll rule --netns "$there" flush >/dev/null; [ -s "$outside" ]; }
	wait_until 20 listens_outside
	: >"$log"
	: >"$outside"
	id=$(added lport 1 csum-rx sw)
	rule replace "$id" lport 2 csum-rx sw >/dev/null
	rule del "$id" >/dev/null
	rule flush >/dev/null
	told() { [ "$(grep -c '' "$log")" -ge 4 ]; }
	wait_until 5 told
	same 'what is told' "$(jq -r '.change | "\(.event) \(.rule) \(.setting)"' "$log")" \
		"$(printf 'rule %s null\n' "$id" "$id" "$id" 0)"
	toll rule --netns "$there" flush >/dev/null
	wait_until 5 test -s "$outside"
	expect 'what is told outside' "$(jq -r '.change | "\(.event) \(.rule)"' "$outside")" = 'rule 0'
}

unload() {
	start_with 'proto udp zerocopy sync' 'csum-rx sw'
	toll rule add --quiet proto tcp zerocopy auto
	module_unload 20
	module_load
	expect 'rules' "$(rules)$(toll rule save)" = ''
}

ktap_test 'every word comes back as it was given' round_trip
ktap_test 'what is saved can be restored, or pasted' replay
ktap_test 'order, insert, replace, delete and flush' order
ktap_test 'errors are told in words, and change nothing' errors
ktap_test 'restore is all or nothing, and names the line' restore
ktap_test 'trust is warned of' trust
ktap_test 'rules are of a network namespace' namespaces
ktap_test 'they go with it' namespace_goes
ktap_test 'an ordinary user may neither change nor see them' user
ktap_test 'root of a namespace of its own may' own_namespace
ktap_test 'a thousand rules' thousand
ktap_test 'a dump tells of changes' dump
ktap_test 'a rule as long as a message' long_path
ktap_test 'changes are told in the namespace only' monitor
ktap_test 'unloading takes the rules along' unload
ktap_test 'a cgroup with rules can be removed' rmdir "/sys/fs/cgroup/$cgroup"
ktap_test 'the kernel does not complain' log_clean
ktap_finish

# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of the nettoll command for bash; words come from the command itself, so that none is missing here.
# shellcheck shell=bash

# The first column of a table that a command prints.
_nettoll_column() {
	nettoll "$@" --tsv 2>/dev/null | sed '1d; /^#/d; s/\t.*//'
}

# The long options in a command's help.
_nettoll_options() {
	nettoll "$@" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u
}

# An end of nettoll traffic. bash takes a colon for the end of a word.
_nettoll_peer() {
	if [[ $1 == : || $2 == : ]]; then
		_nettoll_words "$(ip netns list 2>/dev/null | cut -d ' ' -f 1)" "${1#:}"
	else
		_nettoll_words 'here netns: ssh: host:' "$1"
		[[ ${COMPREPLY[*]} != *: ]] || compopt -o nospace 2>/dev/null
	fi
}

_nettoll_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}

# The words of nettoll rule; $1 is the word to complete, the rest are those from "rule" up to it.
_nettoll_rule() {
	local cur=$1 word verb='' id='' skip='' prev=rule list='list add insert replace delete flush save restore'
	shift 2
	for word; do
		if [[ -n $skip || $word == -* ]]; then
			[[ $word == --netns ]] && skip=1 || skip=''
		elif [[ -n $verb ]]; then
			prev=$word
		else
			verb=$word
		fi
	done
	[[ -z $verb || $prev != rule ]] || prev=$verb
	case $verb in
	'') _nettoll_words "$list" "$cur"; return ;;
	restore)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	flush) return ;;
	list | save | del*) id=1 ;;
	rep*) [[ $prev != "$verb" ]] || id=1 ;;
	insert) [[ $prev != before ]] || id=1 ;;
	esac
	if [[ -n $id ]]; then
		_nettoll_words "$(_nettoll_column rule)" "$cur"
		return
	fi
	case $prev in
	proto) _nettoll_words 'udp tcp' "$cur" ;;
	family) _nettoll_words 'ipv4 ipv6' "$cur" ;;
	zerocopy) _nettoll_words 'off sync pool auto' "$cur" ;;
	csum-tx) _nettoll_words 'auto hw sw none' "$cur" ;;
	csum-rx) _nettoll_words 'auto sw trust audit' "$cur" ;;
	dev) _nettoll_words "$(cd /sys/class/net 2>/dev/null && echo *)" "$cur" ;;
	uid) _nettoll_words "$(compgen -u)" "$cur" ;;
	cgroup)
		compopt -o filenames -o nospace 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "${cur:-/sys/fs/cgroup/}")
		;;
	local | remote | lport | rport | min | audit-rate | coalesce | bytes | late) ;;
	*)
		list='proto family local remote lport rport dev cgroup uid zerocopy min csum-tx csum-rx audit-rate'
		list+=' coalesce bytes late'
		[[ $verb != insert || $prev != insert ]] || list+=' before'
		_nettoll_words "$list" "$cur"
		;;
	esac
}

# The words of nettoll knob; $1 is the word to complete, the rest are those from "knob" up to it.
_nettoll_knob() {
	local cur=$1 word verb='' dev='' skip='' eq='' netns=()
	shift 2
	for word; do
		if [[ $skip == --netns ]]; then
			netns=(--netns "$word")
			skip=''
		elif [[ -n $skip || $word == -* ]]; then
			[[ $word == --netns || $word == --dev || $word == --confirm ]] && skip=$word || skip=''
		elif [[ -z $verb ]]; then
			verb=$word
		elif [[ -z $dev && $word != *.* ]]; then
			dev=$word
		fi
	done
	[[ $verb != s* ]] || eq='='
	case $verb in
	'') _nettoll_words 'list get explain set undo' "$cur" ;;
	u*) ;;
	*)
		word=$(_nettoll_column knob list ${dev:+"$dev"} "${netns[@]}" | sed "s/\$/$eq/")
		[[ -n $dev ]] || word+=" $(cd /sys/class/net 2>/dev/null && echo *)"
		[[ $verb != l* ]] || word=$(cd /sys/class/net 2>/dev/null && echo *)
		_nettoll_words "$word" "$cur"
		[[ ${COMPREPLY[*]} != *= ]] || compopt -o nospace 2>/dev/null
		;;
	esac
}

_nettoll() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb='' i
	COMPREPLY=()

	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			# Behind it stands another command, which has a completion of its own.
			if declare -F _command_offset >/dev/null; then
				_command_offset $((i + 1))
			else
				mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			fi
			return
			;;
		--color)
			((++i))
			;;
		-*) ;;
		*)
			[[ -n $verb ]] || verb=${COMP_WORDS[i]}
			;;
		esac
	done

	case $prev in
	--dev)
		_nettoll_words "$(cd /sys/class/net 2>/dev/null && echo *)" "$cur"
		return
		;;
	--netns)
		_nettoll_words "$(ip netns list 2>/dev/null | cut -d ' ' -f 1)" "$cur"
		return
		;;
	--to | --from)
		_nettoll_peer "$cur" "$prev"
		return
		;;
	netns | :)
		if [[ ${COMP_WORDS[*]:COMP_CWORD-3:3} == *--@(to|from)\ netns* ]]; then
			_nettoll_peer "$cur" "$prev"
			return
		fi
		;;
	--mode)
		_nettoll_words 'plain zerocopy gso sendmmsg zerocopy+gso' "$cur"
		return
		;;
	--compare)
		_nettoll_words 'by-turns in-order' "$cur"
		return
		;;
	--retain)
		_nettoll_words 'gains all' "$cur"
		return
		;;
	--proto)
		_nettoll_words 'udp tcp' "$cur"
		return
		;;
	--latency | --size | --count | --bytes | --time | --warmup | --rate | --window | --segments | --batch | --duty | --ceiling | \
		--campaign | --confidence | --replicates | --seed | --eps | --samples | --rtt | --top | --capacity | --confirm | \
		--repeats | --interval | --addr | --source | --port | --timeout | --cpu | --sndbuf | --rcvbuf)
		return
		;;
	--color)
		_nettoll_words 'auto always never' "$cur"
		return
		;;
	--by)
		_nettoll_words 'layer hook cpu' "$cur"
		return
		;;
	--backend)
		_nettoll_words 'auto direct kretprobe fprobe' "$cur"
		return
		;;
	--layer)
		_nettoll_words "$(_nettoll_column show layers)" "$cur"
		return
		;;
	--hook)
		_nettoll_words "$(_nettoll_column hooks)" "$cur"
		return
		;;
	-o | --output)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	esac

	if [[ $cur == -* ]]; then
		_nettoll_words "$(_nettoll_options ${verb:+"$verb"})" "$cur"
		return
	fi
	case $verb in
	'')
		_nettoll_words "$(_nettoll_column help)" "$cur"
		;;
	help)
		_nettoll_words "$(_nettoll_column help)" "$cur"
		;;
	attach | detach | hooks)
		_nettoll_words "$(_nettoll_column show layers) $(_nettoll_column hooks)" "$cur"
		;;
	csum)
		_nettoll_words "$(_nettoll_column csum)" "$cur"
		;;
	show)
		_nettoll_words 'status settings layers holders' "$cur"
		;;
	coalesce)
		if [[ $prev == "$verb" ]]; then
			_nettoll_words "$(cd /sys/class/net && echo *)" "$cur"
		else
			_nettoll_words 'off --latency --throughput' "$cur"
		fi
		;;
	set)
		_nettoll_words "$(_nettoll_column show settings | sed 's/$/=/')" "$cur"
		compopt -o nospace 2>/dev/null
		;;
	rule)
		for ((i = 1; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} != rule ]] || break
		done
		_nettoll_rule "$cur" "${COMP_WORDS[@]:i:COMP_CWORD-i}"
		;;
	knob)
		for ((i = 1; i < COMP_CWORD; i++)); do
			[[ ${COMP_WORDS[i]} != knob ]] || break
		done
		_nettoll_knob "$cur" "${COMP_WORDS[@]:i:COMP_CWORD-i}"
		;;
	confirm) ;;
	snapshot)
		if [[ $prev == "$verb" ]]; then
			_nettoll_words 'save show diff restore hash' "$cur"
		else
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$cur"; compgen -W "$(cd /sys/class/net 2>/dev/null && echo *)" -- "$cur")
		fi
		;;
	traffic)
		_nettoll_words 'send ping recv' "$cur"
		;;
	profile)
		if [[ $prev == "$verb" ]]; then
			_nettoll_words 'fit dynamics select import' "$cur"
		else
			compopt -o filenames 2>/dev/null
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	*)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		;;
	esac
}

complete -F _nettoll nettoll

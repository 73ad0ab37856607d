extension Supervisor {
    /// The name by which a supervisor is known in a list of processes.
    static let mark: Substring = "usher-cluster"

    /// The shell's program: `sh -c SCRIPT usher-cluster BINARIES FOLDER SUPERUSER SERVER-ARGUMENT…`.
    ///
    /// The files by which its parts speak: `server` holds the server's pid, `stopping` says that the owner let go,
    /// `ended` that nothing runs any more. Signals repeat, since a background job of a shell ignores SIGINT until
    /// Postgres has installed its own handlers.
    static let script = """
        bin=$1 folder=$2 superuser=$3
        shift 3
        umask 077
        cd "$folder" || exit 1
        exec 3<&0 0</dev/null
        {
            "$bin/initdb" --pgdata="$folder/data" --username="$superuser" --auth=trust --no-sync \\
                --encoding=UTF8 --locale=C.UTF-8 --no-instructions && [ ! -e stopping ] && {
                "$bin/postgres" -D "$folder/data" "$@" &
                echo $! >server
                wait $!
            }
            echo $? >ended
        } 3<&- &

        # Nobody ever writes: this returns when the last holder of the other end is gone.
        read -r line <&3
        if grep -qx keep owner; then exit 0; fi

        true >stopping 2>/dev/null
        turn=0
        while [ -e "$folder/owner" ] && [ ! -e ended ] && [ $turn -lt 400 ]; do
            signal=INT
            if [ $turn -ge 200 ]; then signal=QUIT; fi
            if [ $turn -ge 300 ]; then signal=KILL; fi
            if [ -s server ]; then kill -s $signal "$(cat server)" 2>/dev/null; fi
            sleep 0.05
            turn=$((turn + 1))
        done
        cd /
        for attempt in 1 2 3 4 5 6 7 8 9 10; do
            rm -rf "$folder" 2>/dev/null && break
            sleep 0.1
        done
        """
}

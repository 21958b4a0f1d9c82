internal import Glibc

/// How many files, connections among them, the process may have open.
package enum OpenFiles {
    /// What the process needs beside clients' connections: broker, database, log, the runtime's own.
    private static let own = 128

    /// Raises the soft limit, which is 1,024 on most systems for the sake of programs of another age, as far as
    /// `connections` need it and the hard limit lets it.
    ///
    /// - Returns: how many connections there is room for.
    package static func makeRoom(for connections: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return connections }
        let wanted = rlim_t(connections + own)
        if limit.rlim_cur < wanted {
            limit.rlim_cur = min(wanted, limit.rlim_max)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return limit.rlim_cur >= wanted ? connections : max(1, Int(limit.rlim_cur) - own)
    }
}

internal import Glibc

/// The process's limit on open files, which include connections.
package enum OpenFiles {
    /// The number of files that the process needs in addition to client connections, for the broker, the database, the
    /// log and the runtime.
    private static let own = 128

    /// Raises the soft limit to what `connections` requires, as far as the hard limit permits. Most systems have a soft
    /// limit of 1,024, for compatibility with old programs.
    ///
    /// - Returns: the number of connections that the limit allows.
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

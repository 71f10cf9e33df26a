package dev.outbox.internal.runtime;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Names a process, for people who read {@code locked_by}: host, process id, and something to tell restarts apart. */
final class WorkerName {

    private WorkerName() {}

    static String next(RandomGenerator random) {
        String suffix = HexFormat.of().toHexDigits(random.nextLong(), 6);
        return host() + ":" + ProcessHandle.current().pid() + ":" + suffix;
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "unknown-host";
        }
    }
}

package dev.outbox.testing;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** Server settings by their PostgreSQL names, as they would stand in {@code postgresql.conf}. */
public record ServerSettings(Map<String, String> values) {

    public ServerSettings {
        values = Collections.unmodifiableMap(new TreeMap<>(values));
    }

    /** Many connections and no durability, for ordinary tests. */
    public static ServerSettings fast() {
        return new ServerSettings(Map.of("max_connections", "1000"))
                .with("fsync", "off")
                .with("synchronous_commit", "off")
                .with("full_page_writes", "off");
    }

    /** Durability of a production server, for durability tests and benchmarks. */
    public static ServerSettings durable() {
        return new ServerSettings(Map.of("max_connections", "1000"))
                .with("fsync", "on")
                .with("synchronous_commit", "on")
                .with("full_page_writes", "on");
    }

    /** Whether commits survive a crash of the server, as they do by default. */
    boolean isDurable() {
        return !"off".equals(values.get("fsync"));
    }

    /** These settings and one more; a later value of the same name wins. */
    public ServerSettings with(String name, String value) {
        TreeMap<String, String> more = new TreeMap<>(values);
        more.put(name, value);
        return new ServerSettings(more);
    }
}

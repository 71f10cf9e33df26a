package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.worker.Journal.Entry;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Destination that contestants forward events to, on a broker of its own. */
interface Destination extends AutoCloseable {

    /** Returns the Spring properties of a contestant that connects to the broker. */
    Map<String, String> properties();

    /** Returns the number of messages. */
    long size() throws Exception;

    /** Reads all messages as calls of a handler, whose times are only the order of the messages. */
    List<Entry> read() throws Exception;

    /** Returns a message as a call. */
    static Entry entry(String key, String payload, long position) {
        JsonNode event = JsonMapper.shared().readTree(payload);
        int account = event.get("key").asInt();
        if (!Integer.toString(account).equals(key)) {
            throw new IllegalStateException("the key of the message is " + key + ", not the account: " + payload);
        }
        return new Entry(event.get("number").asInt(), account, event.get("seq").asLong(), position, position);
    }

    /** Stops the broker. */
    @Override
    void close();
}

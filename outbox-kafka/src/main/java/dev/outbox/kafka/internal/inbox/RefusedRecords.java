package dev.outbox.kafka.internal.inbox;

import dev.outbox.kafka.internal.inbox.StoredRecord.Reason;
import java.time.Duration;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Refused records of an inbox: reports each reason once a minute, and limits how many of a topic are refused in a row. */
final class RefusedRecords {

    /** So many in a row are no accident: the topic has another format than the inbox reads. */
    static final int MOST_IN_A_ROW = 100;

    private static final Logger log = LoggerFactory.getLogger(RefusedRecords.class);

    private static final long NANOS_BETWEEN_REPORTS = Duration.ofMinutes(1).toNanos();

    private final String inbox;
    private final LongSupplier nanos;
    private final Map<String, Integer> inARow = new HashMap<>();
    private final Map<Reason, Integer> unreported = new EnumMap<>(Reason.class);
    private final Map<Reason, Long> reportedAt = new EnumMap<>(Reason.class);

    RefusedRecords(String inbox, LongSupplier nanos) {
        this.inbox = inbox;
        this.nanos = nanos;
    }

    /** Returns how many records of a batch may be stored: those before the first refused one that is too many. */
    synchronized int admitted(List<Incoming> batch) {
        Map<String, Integer> counted = new HashMap<>(inARow);
        for (int i = 0; i < batch.size(); i++) {
            count(batch.get(i), counted);
            if (counted.getOrDefault(batch.get(i).record().topic(), 0) > MOST_IN_A_ROW) {
                return i;
            }
        }
        return batch.size();
    }

    /** Begins to count a topic anew. */
    synchronized void readmit(String topic) {
        inARow.remove(topic);
    }

    /** Counts a batch after its commit, and reports its refused records. */
    synchronized void stored(List<Incoming> batch, Collection<Incoming> refused) {
        batch.forEach((incoming) -> count(incoming, inARow));
        Map<Reason, Incoming> latest = new EnumMap<>(Reason.class);
        for (Incoming incoming : refused) {
            Reason reason = Objects.requireNonNull(incoming.refusal()).reason();
            if (reason != Reason.GAP) {
                latest.put(reason, incoming);
                unreported.merge(reason, 1, Integer::sum);
            }
        }
        latest.forEach(this::report);
    }

    private static void count(Incoming incoming, Map<String, Integer> counted) {
        String topic = incoming.record().topic();
        if (incoming.refusal() == null) {
            counted.remove(topic);
        } else {
            counted.merge(topic, 1, Integer::sum);
        }
    }

    private void report(Reason reason, Incoming latest) {
        long now = nanos.getAsLong();
        Long last = reportedAt.get(reason);
        if (last == null || now - last >= NANOS_BETWEEN_REPORTS) {
            reportedAt.put(reason, now);
            log.error(
                    "Inbox {} refuses records as {} ({} since the last report, at most one report a minute), the latest at {}: {}",
                    inbox,
                    reason,
                    unreported.remove(reason),
                    latest.position(),
                    latest.refusedFor());
        }
    }
}

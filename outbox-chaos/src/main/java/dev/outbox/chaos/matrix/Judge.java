package dev.outbox.chaos.matrix;

import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.FactReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Compares the facts of a cell with what its database holds in the end. */
final class Judge {

    private final JdbcClient sql;
    private final Map<UUID, Fact.IntendedEvent> intended = new LinkedHashMap<>();
    private final Map<UUID, String> transactionOf = new HashMap<>();
    private final Map<String, Commit> outcomes = new HashMap<>();
    private final Map<UUID, Long> sequences = new HashMap<>();
    private final Set<UUID> started = new HashSet<>();
    private final Map<String, Map<UUID, Long>> firstSuccess = new TreeMap<>();
    private final List<String> violations = new ArrayList<>();

    private Judge(Path facts, DataSource dataSource) {
        this.sql = JdbcClient.create(dataSource);
        FactReader.files(facts).forEach((file) -> FactReader.read(file).forEach(this::read));
    }

    /** Returns what is wrong. */
    static List<String> violations(Path facts, DataSource dataSource) {
        Judge judge = new Judge(facts, dataSource);
        judge.judge();
        return judge.violations;
    }

    private void read(Fact fact) {
        if (fact instanceof Fact.Intended begun) {
            begun.events().forEach((event) -> {
                intended.put(event.eventId(), event);
                transactionOf.put(event.eventId(), begun.transaction());
            });
        } else if (fact instanceof Fact.Completed completed) {
            outcomes.put(completed.transaction(), completed.outcome());
        } else if (fact instanceof Fact.Started begun) {
            started.add(begun.eventId());
        } else if (fact instanceof Fact.Ended ended && ended.outcome() == Fact.Outcome.SUCCEEDED) {
            firstSuccess
                    .computeIfAbsent(ended.handler(), (handler) -> new HashMap<>())
                    .merge(ended.eventId(), ended.at(), Math::min);
        }
    }

    private void judge() {
        Set<UUID> stored = stored();
        intended.keySet().forEach((event) -> judge(event, stored.contains(event)));
        stored.stream()
                .filter((event) -> !intended.containsKey(event))
                .forEach((event) -> violation("unexpected", event));
        transactionsAreWhole(stored);
        sameEvents("ledger", stored, ids("SELECT event_id FROM chaos.ledger"));
        sameEvents("booking", stored, ids("SELECT event_id FROM chaos.booking"));
        long twice = sql.sql("SELECT count(*) - count(DISTINCT event_id) FROM chaos.booking")
                .query(Long.class)
                .single();
        if (twice > 0) {
            violations.add(twice + " events are booked twice");
        }
        sequencesAreGapless(stored);
        firstSuccess.forEach(this::successesAreInOrder);
    }

    private Set<UUID> stored() {
        Set<UUID> stored = new HashSet<>();
        sql.sql("""
                SELECT event_id, aggregate_seq FROM events.outbox
                UNION ALL
                SELECT outbox_event_id, aggregate_seq FROM audit.events
                """).query((row) -> {
            UUID event = row.getObject(1, UUID.class);
            if (!stored.add(event)) {
                violation("stored twice", event);
            }
            sequences.put(event, row.getLong(2));
        });
        return stored;
    }

    private void judge(UUID event, boolean stored) {
        Commit outcome = outcomes.getOrDefault(transactionOf.get(event), Commit.UNKNOWN);
        if (outcome == Commit.COMMITTED && !stored) {
            violation("lost", event);
        }
        if (outcome == Commit.ABORTED && (stored || started.contains(event))) {
            violation("aborted, but seen", event);
        }
        if (!stored && started.contains(event)) {
            violation("handled, but not stored", event);
        }
        if (stored) {
            for (String handler : List.of(FactHandlers.SHIP, FactHandlers.BOOK)) {
                if (!firstSuccess.getOrDefault(handler, Map.of()).containsKey(event)) {
                    violation("not handled by " + handler, event);
                }
            }
        }
    }

    private void transactionsAreWhole(Set<UUID> stored) {
        Map<String, Set<Boolean>> seen = new HashMap<>();
        transactionOf.forEach((event, transaction) ->
                seen.computeIfAbsent(transaction, (name) -> new HashSet<>()).add(stored.contains(event)));
        seen.forEach((transaction, both) -> {
            if (both.size() > 1) {
                violations.add("half of transaction " + transaction + " is stored");
            }
        });
    }

    private void sameEvents(String table, Set<UUID> stored, Set<UUID> found) {
        stored.stream()
                .filter((event) -> !found.contains(event))
                .forEach((event) -> violation("not in " + table, event));
        found.stream()
                .filter((event) -> !stored.contains(event))
                .forEach((event) -> violation("only in " + table, event));
    }

    private Set<UUID> ids(String query) {
        return sql.sql(query).query(UUID.class).set();
    }

    private void sequencesAreGapless(Set<UUID> stored) {
        Map<String, List<Long>> found = new TreeMap<>();
        stored.stream()
                .filter(intended::containsKey)
                .forEach((event) -> found.computeIfAbsent(aggregateOf(event), (key) -> new ArrayList<>())
                        .add(sequences.getOrDefault(event, 0L)));
        found.forEach((aggregate, numbers) -> {
            numbers.sort(Comparator.naturalOrder());
            if (numbers.get(0) != 1 || numbers.get(numbers.size() - 1) != numbers.size()) {
                violations.add("sequences of " + aggregate + " have gaps: " + numbers);
            }
        });
    }

    private void successesAreInOrder(String handler, Map<UUID, Long> successes) {
        Map<String, Long> last = new HashMap<>();
        successes.entrySet().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(Map.Entry::getKey)
                .forEach((event) -> {
                    long sequence = sequences.getOrDefault(event, 0L);
                    Long before = last.put(aggregateOf(event), sequence);
                    if (before != null && before > sequence) {
                        violation(handler + " handled it after number " + before, event);
                    }
                });
    }

    private String aggregateOf(UUID event) {
        Fact.IntendedEvent known = intended.get(event);
        return known == null ? "?" : known.aggregateType() + "/" + known.aggregateId();
    }

    private void violation(String what, UUID event) {
        violations.add(what + ": event " + event + ", number " + sequences.get(event) + " of " + aggregateOf(event)
                + ", transaction " + transactionOf.get(event));
    }
}

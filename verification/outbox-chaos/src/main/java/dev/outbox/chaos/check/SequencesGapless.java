package dev.outbox.chaos.check;

import dev.outbox.chaos.history.Aggregate;
import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.History;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The events of an aggregate that survived are numbered without gaps, each once, as the publish call returned. A gap of events that an
 * operator gave up is none.
 */
final class SequencesGapless implements Rule {

    @Override
    public void check(History history, Violations violations) {
        Map<Aggregate, Set<Long>> givenUp = givenUp(history);
        history.aggregates().forEach((aggregate, events) -> {
            Set<Long> missing = givenUp.getOrDefault(aggregate, Set.of());
            for (int i = 0; i < events.size(); i++) {
                EventHistory event = events.get(i);
                long expected = i == 0 ? event.sequence() : events.get(i - 1).sequence() + 1;
                while (missing.contains(expected)) {
                    expected++;
                }
                if (event.sequence() != expected) {
                    violations.add(
                            "%s has %d where %d is expected".formatted(aggregate, event.sequence(), expected),
                            List.of(events.get(i - 1), event));
                }
                check(event, violations);
            }
        });
    }

    private static Map<Aggregate, Set<Long>> givenUp(History history) {
        Map<Aggregate, Set<Long>> givenUp = new HashMap<>();
        history.events().stream()
                .filter((event) -> !event.survived() && history.isGivenUp(event))
                .forEach((event) -> givenUp.computeIfAbsent(event.aggregateOrNone(), (key) -> new HashSet<>())
                        .add(event.sequence()));
        return givenUp;
    }

    private static void check(EventHistory event, Violations violations) {
        Published published = event.published();
        if (published != null && published.sequence() != event.sequence()) {
            violations.add(event + " has another sequence than the publish call returned", List.of(published));
        }
        if (event.stored().size() > 1) {
            violations.add(event + " is stored more than once", event.stored());
        }
    }
}

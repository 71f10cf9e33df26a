package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.History;
import java.util.List;

/** The events of an aggregate that survived are numbered without gaps, each once, as the publish call returned. */
final class SequencesGapless implements Rule {

    @Override
    public String name() {
        return "sequences-gapless";
    }

    @Override
    public List<Violation> check(History history) {
        Violations violations = new Violations(this);
        history.aggregates().forEach((aggregate, events) -> {
            for (int i = 0; i < events.size(); i++) {
                EventHistory event = events.get(i);
                long expected = i == 0 ? event.sequence() : events.get(i - 1).sequence() + 1;
                if (event.sequence() != expected) {
                    violations.add(
                            aggregate + " has " + event.sequence() + " where " + expected + " is expected",
                            List.of(events.get(i - 1), event));
                }
                check(event, violations);
            }
        });
        return violations.found();
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

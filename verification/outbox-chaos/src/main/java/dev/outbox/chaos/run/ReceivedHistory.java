package dev.outbox.chaos.run;

import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Published;
import dev.outbox.chaos.history.FactReader;
import dev.outbox.chaos.history.History;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** History of a service that receives the events of another one: what that one published must have arrived, and nothing else. */
final class ReceivedHistory {

    private static final String ORIGIN = "origin";
    private static final String SOURCE = "/producer";

    private ReceivedHistory() {}

    /** Reads the facts of both services, and the final state of the receiving one. */
    static History read(Path producer, Path receiver, DataSource dataSource) {
        List<Fact> facts = new ArrayList<>();
        facts(producer).flatMap(ReceivedHistory::received).forEach(facts::add);
        facts(receiver).forEach(facts::add);
        return History.of(facts, dataSource);
    }

    private static Stream<Fact> facts(Path directory) {
        return FactReader.files(directory).stream().flatMap((file) -> FactReader.read(file).stream());
    }

    private static Stream<Fact> received(Fact fact) {
        if (fact instanceof Intended intended) {
            return Stream.of(new Intended(
                    intended.at(),
                    intended.process(),
                    intended.transaction(),
                    intended.events().stream().map(ReceivedHistory::withOrigin).toList()));
        }
        return fact instanceof Published || fact instanceof Completed || fact instanceof Fault
                ? Stream.of(fact)
                : Stream.empty();
    }

    private static IntendedEvent withOrigin(IntendedEvent event) {
        Map<String, String> headers = new HashMap<>(event.headers());
        headers.put(ORIGIN, SOURCE);
        return new IntendedEvent(
                event.eventId(),
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.payload(),
                headers,
                event.rolledBack());
    }
}

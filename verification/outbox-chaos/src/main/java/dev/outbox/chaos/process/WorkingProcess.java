package dev.outbox.chaos.process;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.process.WorkerHandlers.Amount;
import dev.outbox.listener.OutboxListener;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Process that handles events; its version and the presence of billing decide which handlers it has. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "worker")
class WorkingProcess {

    private static final String OLD = "1";
    private static final String NEW = "2";
    private static final String JOURNAL = "journal";
    private static final Set<String> ALL_BUT_CLOSED =
            Set.of(Traffic.OPENED, Traffic.MOVED, Traffic.PAID, Traffic.REFUNDED);

    @Bean
    RecordedHandlers recordedHandlers(FactWriter facts) {
        return new RecordedHandlers(facts);
    }

    @Bean
    WorkerHandlers workerHandlers(JdbcTemplate jdbc) {
        return new WorkerHandlers(new BusinessTables(jdbc));
    }

    @Bean
    Commands commands(RecordedHandlers recorded, WorkerHandlers handlers, SkewedClock clock, PoolExhaustion pool) {
        return new Commands(
                clock,
                pool,
                Map.of(
                        Commands.SLOW, recorded::slowDown,
                        Commands.STORM, recorded::storm,
                        Commands.HOLD, handlers::holdNextTransaction));
    }

    @Bean
    OutboxListener hostileListener() {
        return new HostileListener();
    }

    /** The new version serves requests before its pollers start, and only it has the handler of search. */
    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = NEW)
    FirstRequests firstRequests(Registrations registrations, Publisher publisher, Traffic traffic) {
        return new FirstRequests(registrations, publisher, traffic);
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = OLD)
    HandlerDefinition journal(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.of(JOURNAL, ALL_BUT_CLOSED, (event) -> {}));
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = NEW)
    HandlerDefinition renamedJournal(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.of("journal.entries", ALL_BUT_CLOSED, (event) -> {})
                .aliases(JOURNAL));
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = NEW)
    HandlerDefinition search(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.of("search", Set.of(Traffic.OPENED, Traffic.CLOSED), (event) -> {}));
    }

    @Bean
    HandlerDefinition booking(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(
                HandlerDefinition.of(WorkerHandlers.BOOKING, Set.of(Traffic.PAID, Traffic.OPENED), handlers::book)
                        .deduplicating());
    }

    /** An interceptor fails at times, too. */
    @Bean
    HandlerDefinition flaky(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.of(
                        WorkerHandlers.FLAKY, Set.of(Traffic.MOVED), Amount.class, WorkerHandlers::failAtTimes)
                .decorated((body) -> (payload, event, context) -> {
                    WorkerHandlers.throwAtTimes(event);
                    body.handle(payload, event, context);
                }));
    }

    @Bean
    HandlerDefinition slow(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.of("slow", Set.of(Traffic.CLOSED), WorkerHandlers::takeLong));
    }

    @Bean
    HandlerDefinition stalling(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.withContext(
                "stalling",
                Set.of(Traffic.CLOSED),
                null,
                (payload, event, context) -> WorkerHandlers.hangAtTimes(event, context.attempt())));
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.BILLING, havingValue = "true")
    HandlerDefinition billing(RecordedHandlers recorded) {
        return recorded.recorded(HandlerDefinition.of("billing", Set.of(Traffic.REFUNDED), (event) -> {}));
    }
}

package dev.outbox.chaos.process;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxPublisher;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Process that handles events; its version and the presence of billing decide which handlers it has. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "worker")
class WorkingProcess {

    private static final String OLD = "1";
    private static final String NEW = "2";

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
        return new Commands(Map.of(
                Commands.SLOW,
                recorded::slowDown,
                Commands.STORM,
                recorded::storm,
                Commands.HOLD,
                handlers::holdNextTransaction,
                Commands.SKEW,
                clock::skewBySeconds,
                Commands.EXHAUST,
                (millis) -> Commands.inBackground("exhaustion", () -> pool.exhaust(Duration.ofMillis(millis)))));
    }

    @Bean
    OutboxListener hostileListener() {
        return new HostileListener();
    }

    /** The new version serves requests before its pollers start, and only it has the handler of search. */
    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = NEW)
    FirstRequests firstRequests(
            Registrations registrations,
            OutboxPublisher outbox,
            PlatformTransactionManager transactions,
            JdbcTemplate jdbc,
            FactWriter facts,
            JsonMapper mapper,
            Environment environment) {
        long seed = environment.getRequiredProperty(ChaosProcess.SEED, Long.class);
        Traffic traffic = new Traffic(seed, Traffic.COLD_AGGREGATES, true, mapper);
        return new FirstRequests(
                registrations, new Publisher(outbox, transactions, jdbc, facts, facts.process(), traffic));
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = OLD)
    HandlerDefinition journal(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.journal());
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = NEW)
    HandlerDefinition renamedJournal(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.renamedJournal());
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.VERSION, havingValue = NEW)
    HandlerDefinition search(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.search());
    }

    @Bean
    HandlerDefinition booking(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.booking());
    }

    @Bean
    HandlerDefinition flaky(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.flaky());
    }

    @Bean
    HandlerDefinition slow(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.slow());
    }

    @Bean
    HandlerDefinition stalling(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.stalling());
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.BILLING, havingValue = "true")
    HandlerDefinition billing(WorkerHandlers handlers, RecordedHandlers recorded) {
        return recorded.recorded(handlers.billing());
    }
}

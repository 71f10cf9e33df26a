package dev.outbox.chaos.process;

import dev.outbox.OutboxPublisher;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.json.JsonMapper;

/** Process that publishes and in which operators work. It handles nothing. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "publisher")
class PublishingProcess {

    @Bean
    Publisher publisher(
            OutboxPublisher outbox,
            PlatformTransactionManager transactions,
            JdbcTemplate jdbc,
            FactWriter facts,
            JsonMapper mapper,
            Environment environment) {
        Traffic traffic = new Traffic(
                environment.getRequiredProperty(ChaosProcess.SEED, Long.class),
                environment.getProperty(ChaosProcess.AGGREGATES, Integer.class, Traffic.COLD_AGGREGATES),
                environment.getProperty(ChaosProcess.SCHEDULES, Boolean.class, true),
                mapper);
        return new Publisher(outbox, transactions, jdbc, facts, facts.process(), traffic);
    }

    @Bean
    OverlappingWriters overlappingWriters(
            OutboxPublisher outbox,
            PlatformTransactionManager transactions,
            JdbcTemplate jdbc,
            FactWriter facts,
            JsonMapper mapper,
            Environment environment) {
        long seed = environment.getRequiredProperty(ChaosProcess.SEED, Long.class);
        return new OverlappingWriters((name) -> new Publisher(
                outbox,
                transactions,
                jdbc,
                facts,
                facts.process() + "-" + name,
                new Traffic(seed + name.hashCode(), Traffic.COLD_AGGREGATES, false, mapper)));
    }

    @Bean
    SmartLifecycle publishing(Publisher publisher) {
        return new Publishing(publisher);
    }

    @Bean
    Operator operator(OutboxOperations operations, Replays replays, JdbcTemplate jdbc, FactWriter facts) {
        return new Operator(operations, replays, jdbc, facts);
    }

    @Bean
    Commands commands(
            Publisher publisher,
            OverlappingWriters writers,
            Operator operator,
            SkewedClock clock,
            PoolExhaustion pool) {
        return new Commands(Map.of(
                Commands.RATE,
                publisher::atRate,
                Commands.OVERLAP,
                (millis) -> writers.write(Duration.ofMillis(millis)),
                Commands.PAUSE,
                operator::pauseOrResume,
                Commands.SKIP_DELAYED,
                (limit) -> Commands.inBackground("operator", () -> operator.skipDelayed(limit)),
                Commands.RETRY,
                (limit) -> Commands.inBackground("operator", () -> operator.retry(limit)),
                Commands.SKIP,
                (limit) -> Commands.inBackground("operator", () -> operator.skip(limit)),
                Commands.REPLAY,
                (limit) -> Commands.inBackground("operator", () -> operator.replay(limit)),
                Commands.ERASE,
                (limit) -> Commands.inBackground("operator", () -> operator.erase(limit)),
                Commands.SKEW,
                clock::skewBySeconds,
                Commands.EXHAUST,
                (millis) -> Commands.inBackground("exhaustion", () -> pool.exhaust(Duration.ofMillis(millis)))));
    }
}

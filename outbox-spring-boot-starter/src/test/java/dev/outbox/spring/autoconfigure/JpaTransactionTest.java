package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.Applications.count;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.RetryAfterException;
import dev.outbox.spring.autoconfigure.Subscriptions.Licensing;
import dev.outbox.spring.autoconfigure.Subscriptions.PaymentSucceeded;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;

class JpaTransactionTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void eventCommitsAndRollsBackWithItsEntity() {
        application().run((context) -> {
            assertThat(context.getBean(PlatformTransactionManager.class)).isInstanceOf(JpaTransactionManager.class);

            assertThatThrownBy(() -> context.getBean(Contracts.class).sign("1", true))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(count(context, "contract")).isZero();
            assertThat(count(context, "events.outbox")).isZero();

            context.getBean(Contracts.class).sign("1", false);
            assertThat(count(context, "contract")).isOne();
            assertThat(count(context, "events.outbox")).isOne();
            await().untilAsserted(() ->
                    assertThat(context.getBean(Licensing.class).plans).containsExactly("1:gold"));
        });
    }

    @Test
    void deduplicatingHandlerCommitsItsEntityOnceAndItsEventWithIt() {
        application().withBean(Archive.class).run((context) -> {
            context.getBean(Contracts.class).sign("1", false);

            await().untilAsserted(() ->
                    assertThat(count(context, "events.outbox_published")).isEqualTo(2));
            assertThat(count(context, "contract WHERE id = 'copy of 1'")).isOne();
            assertThat(count(context, "events.processed_event WHERE handler_id = 'archive'"))
                    .isOne();
            assertThat(context.getBean(Archive.class).attempts()).isEqualTo(2);
        });
    }

    @Test
    void entitiesAndTheirProxiesAreRefusedAsPayloads() {
        application().run((context) -> {
            Contracts contracts = context.getBean(Contracts.class);
            contracts.sign("1", false);

            String entity = Contract.class.getName() + " is a JPA entity";
            assertRefused(contracts, (entities) -> entities.find(Contract.class, "1"), entity + ", so its lazy");
            assertRefused(
                    contracts,
                    (entities) -> entities.getReference(Contract.class, "1"),
                    entity + ", behind a Hibernate proxy, so its lazy");
            assertRefused(
                    contracts,
                    (entities) -> new Signed(entities.find(Contract.class, "1")),
                    "payload " + Signed.class.getName() + " of Signed of contract/1 cannot be written as JSON: "
                            + entity);
            assertThat(count(context, "events.outbox")).isOne();
        });
    }

    private static void assertRefused(Contracts contracts, Function<EntityManager, Object> payload, String message) {
        assertThatThrownBy(() -> contracts.publish("1", payload))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining(message);
    }

    record Signed(Contract contract) {}

    private ApplicationContextRunner application() {
        return Applications.on(database)
                .withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
                .withPropertyValues("spring.jpa.hibernate.ddl-auto=create")
                .withUserConfiguration(Entities.class)
                .withBean(TestDatabase.class, () -> database)
                .withBean(Contracts.class)
                .withBean(Licensing.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = Contract.class)
    static class Entities {}

    @Entity(name = "contract")
    static class Contract {

        @Id
        String id;
    }

    static class Contracts {

        private final EntityManager entities;
        private final OutboxPublisher outbox;

        Contracts(EntityManager entities, OutboxPublisher outbox) {
            this.entities = entities;
            this.outbox = outbox;
        }

        @Transactional
        public void sign(String id, boolean fail) {
            Contract contract = new Contract();
            contract.id = id;
            entities.persist(contract);
            outbox.publish("contract", id, new SubscriptionStarted("gold"));
            if (fail) {
                throw new IllegalStateException("rolled back on purpose");
            }
        }

        @Transactional
        public void publish(String id, Function<EntityManager, Object> payload) {
            outbox.publish("contract", id, payload.apply(entities));
        }
    }

    /** Loses its lease each time, and fails the first. */
    static class Archive {

        private final AtomicInteger attempts = new AtomicInteger();
        private final EntityManager entities;
        private final OutboxPublisher outbox;
        private final TestDatabase database;

        Archive(EntityManager entities, OutboxPublisher outbox, TestDatabase database) {
            this.entities = entities;
            this.outbox = outbox;
            this.database = database;
        }

        @Transactional
        @OutboxHandler(id = "archive", deduplicate = true)
        public void copy(SubscriptionStarted event, EventEnvelope envelope) {
            Contract contract = new Contract();
            contract.id = "copy of " + envelope.aggregateId();
            entities.persist(contract);
            outbox.publish("copy", envelope.aggregateId(), new PaymentSucceeded(1));
            JdbcClient.create(database.dataSource())
                    .sql("DELETE FROM events.outbox_claim")
                    .update();
            if (attempts.incrementAndGet() == 1) {
                throw new RetryAfterException(Duration.ZERO, "on purpose");
            }
        }

        public int attempts() {
            return attempts.get();
        }
    }
}

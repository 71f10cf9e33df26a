package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.InvalidEventException;
import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Mistakes of a publisher: each is refused in its own transaction, with the way out. */
@ExtendWith(OutputCaptureExtension.class)
class PublishingMistakesTest {

    private static final OutboxEvent EVENT = OutboxEvent.of("subscription", "1", new SubscriptionStarted("gold"));

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void noTransaction() {
        application().run((context) -> {
            assertThatThrownBy(() -> publisher(context).publish(EVENT))
                    .isInstanceOf(InvalidTransactionException.class)
                    .hasMessage("no transaction is active on this thread; publish inside the @Transactional method (or"
                            + " TransactionTemplate) that makes the domain change, so that both commit together");
            assertThat(Applications.count(context, "events.outbox")).isZero();
        });
    }

    @Test
    void transactionalMethodIsCalledWithoutItsProxy() {
        application().withBean(Checkout.class).run((context) -> {
            Checkout checkout = context.getBean(Checkout.class);
            assertThatThrownBy(() -> checkout.payByItself())
                    .isInstanceOf(InvalidTransactionException.class)
                    .hasMessage("no transaction is active on this thread, although " + Checkout.class.getName()
                            + ".pay is @Transactional: it was called without its proxy, from its own class, as a private"
                            + " method or on an object that is no bean; publish inside the @Transactional method (or"
                            + " TransactionTemplate) that makes the domain change, so that both commit together");
            for (Runnable without : List.<Runnable>of(checkout::payWithout, () -> checkout.buy(checkout))) {
                assertThatThrownBy(without::run)
                        .isInstanceOf(InvalidTransactionException.class)
                        .hasMessageStartingWith("no transaction is active on this thread; publish");
            }
        });
    }

    @Test
    void aggregateTypeAndIdAreSwapped(CapturedOutput output) {
        application()
                .run((context) -> transactions(context).executeWithoutResult((status) -> {
                    for (int i = 1; i <= 150; i++) {
                        publisher(context).publish(OutboxEvent.of("4711-" + i, "subscription", EVENT.payload()));
                        publisher(context).publish(OutboxEvent.of("4711-" + i, "again", EVENT.payload()));
                    }
                }));

        assertThat(output.toString()
                        .split(
                                "This instance has published the first events of 100 aggregate types, most recently '4711-100'",
                                -1))
                .hasSize(2);
    }

    @Test
    void readOnlyTransaction() {
        application().withBean(Reports.class).run((context) -> {
            assertThatThrownBy(() -> context.getBean(Reports.class).list())
                    .isInstanceOf(InvalidTransactionException.class)
                    .hasMessage("the transaction " + Reports.class.getName()
                            + ".list is read-only and cannot store an event; remove readOnly = true");
            TransactionTemplate template = transactions(context);
            template.setReadOnly(true);
            assertThatThrownBy(() -> template.executeWithoutResult(
                            (status) -> publisher(context).publish(EVENT)))
                    .hasMessage("the transaction is read-only and cannot store an event; remove readOnly = true");
        });
    }

    @Test
    void afterCommit() {
        application().run((context) -> {
            AtomicReference<Throwable> refusal = new AtomicReference<>();
            transactions(context)
                    .executeWithoutResult((status) ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void afterCommit() {
                                    try {
                                        publisher(context).publish(EVENT);
                                    } catch (RuntimeException ex) {
                                        refusal.set(ex);
                                    }
                                }
                            }));

            assertThat(refusal.get())
                    .isInstanceOf(InvalidTransactionException.class)
                    .hasMessage(
                            "the transaction has ended already, and this is one of the callbacks that follow (such as"
                                    + " @TransactionalEventListener): the event would not commit with it; publish before the"
                                    + " commit, or in a transaction of its own (Propagation.REQUIRES_NEW)");
        });
    }

    @Test
    void eventThatNoHandlerTakes(CapturedOutput output) {
        application().withPropertyValues("outbox.poller.enabled=true").run((context) -> {
            transactions(context)
                    .executeWithoutResult((status) -> publisher(context).publish(EVENT));
            await().untilAsserted(() -> assertThat(output)
                    .containsPattern(
                            "No instance has a handler for SubscriptionStarted\\S+ .*; events without subscribers count"
                                    + " as published \\(logged once per type\\)"));
        });
        application().withPropertyValues("outbox.publisher.unrouted=fail").run((context) -> {
            assertThatThrownBy(() -> transactions(context)
                            .executeWithoutResult((status) -> publisher(context).publish(EVENT)))
                    .isInstanceOf(InvalidEventException.class)
                    .hasMessageStartingWith("no handler is registered for SubscriptionStarted of ");
            OutboxEvent received =
                    OutboxEvent.of("billing.subscription", "1", EVENT.payload()).withOrigin("billing");
            transactions(context)
                    .executeWithoutResult((status) -> publisher(context).publish(received));
        });
    }

    private ApplicationContextRunner application() {
        return Applications.on(database);
    }

    private static OutboxPublisher publisher(ApplicationContext context) {
        return context.getBean(OutboxPublisher.class);
    }

    private static TransactionTemplate transactions(ApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    static class Checkout {

        private final OutboxPublisher outbox;

        Checkout(OutboxPublisher outbox) {
            this.outbox = outbox;
        }

        public void payByItself() {
            List.of(EVENT).forEach(this::pay);
        }

        @Transactional
        public void pay(OutboxEvent event) {
            outbox.publish(event);
        }

        @Transactional
        public void buy(Checkout proxy) {
            proxy.payWithout();
        }

        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        public void payWithout() {
            outbox.publish(EVENT);
        }
    }

    static class Reports {

        private final OutboxPublisher outbox;

        Reports(OutboxPublisher outbox) {
            this.outbox = outbox;
        }

        @Transactional(readOnly = true)
        public void list() {
            outbox.publish(EVENT);
        }
    }
}

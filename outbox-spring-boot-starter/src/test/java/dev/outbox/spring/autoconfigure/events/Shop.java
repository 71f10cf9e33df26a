package dev.outbox.spring.autoconfigure.events;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.Outboxed;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** The domain of the tests: orders are placed, paid and shipped. */
final class Shop {

    private Shop() {}

    @Outboxed(aggregateType = "order", aggregateId = "orderId")
    record OrderPlaced(@Nullable String orderId) {}

    @Outboxed(aggregateType = "order", aggregateId = "orderId")
    record OrderConfirmed(String orderId) {}

    record Unmarked(String orderId) {}

    static void inTransaction(ApplicationContext context, Runnable work) {
        transactions(context, TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((status) -> work.run());
    }

    static TransactionTemplate transactions(ApplicationContext context, int propagation) {
        TransactionTemplate template = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    /** Applies work to an application whose events stay in the queue. */
    static ApplicationContextRunner withoutPolling(ApplicationContextRunner application) {
        return application.withPropertyValues("outbox.poller.enabled=false");
    }

    /** Counts what reaches each kind of listener. */
    static class Listeners {

        final List<String> immediate = new CopyOnWriteArrayList<>();
        final List<String> afterCommit = new CopyOnWriteArrayList<>();

        @EventListener
        void on(OrderPlaced event) {
            immediate.add(event.orderId());
        }

        @TransactionalEventListener
        void afterCommit(OrderPlaced event) {
            afterCommit.add(event.orderId());
        }
    }

    static class Warehouse {

        final List<String> orders = new CopyOnWriteArrayList<>();

        @OutboxHandler(id = "warehouse")
        void reserve(OrderPlaced event, EventEnvelope envelope) {
            orders.add(envelope.aggregateId() + ":" + event.orderId());
        }
    }
}

package dev.outbox.benchmarks.namastack;

import io.namastack.outbox.trigger.OutboxPollingTrigger;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.scheduling.TriggerContext;

/** Gate that keeps polling from starting with the context, before the controller starts it. */
class Gate implements BeanPostProcessor {

    private static final Duration NOT_TODAY = Duration.ofDays(1);

    private final AtomicBoolean open = new AtomicBoolean();

    void open() {
        open.set(true);
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        return bean instanceof OutboxPollingTrigger trigger ? new Gated(trigger) : bean;
    }

    private final class Gated implements OutboxPollingTrigger {

        private final OutboxPollingTrigger trigger;

        private Gated(OutboxPollingTrigger trigger) {
            this.trigger = trigger;
        }

        @Override
        public Instant nextExecution(TriggerContext context) {
            Instant next = open.get() ? trigger.nextExecution(context) : null;
            return next == null ? Instant.now().plus(NOT_TODAY) : next;
        }

        @Override
        public void onTaskComplete(int records) {
            trigger.onTaskComplete(records);
        }
    }
}

package dev.outbox.sample.trading.worker;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.events.SystemEvent.SettingChanged;
import dev.outbox.sample.trading.TradingPolicy;
import org.springframework.stereotype.Component;

/** Passes the settings of {@code everbit.system.event} to trading, which keeps the last value of each. */
@InWorker
@Component
class SystemWorker {

    private final TradingPolicy policy;

    SystemWorker(TradingPolicy policy) {
        this.policy = policy;
    }

    @OutboxHandler(id = "system-worker")
    void settingChanged(SettingChanged event, EventEnvelope envelope) {
        policy.remember(event.key(), event.value(), envelope.sequence());
    }
}

package dev.outbox.sample.control;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Origin;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.SystemEvent.SettingChanged;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Changes settings, and publishes each change. */
@Service
class Settings {

    private static final String CHANGE = """
            INSERT INTO control.settings (key, value)
            VALUES (:key, :value)
            ON CONFLICT (key) DO UPDATE
               SET value = excluded.value, changed_at = now()
            """;

    private final JdbcClient jdbc;
    private final EventBus bus;

    Settings(JdbcClient jdbc, EventBus bus) {
        this.jdbc = jdbc;
        this.bus = bus;
    }

    @Transactional
    void change(String key, String value) {
        jdbc.sql(CHANGE).param("key", key).param("value", value).update();
        bus.publish(new Message(Streams.SYSTEM_EVENT, "setting", key, new SettingChanged(key, value), Origin.OPERATOR));
    }
}

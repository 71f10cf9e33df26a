package dev.outbox.sample.control;

import dev.outbox.sample.eventbus.EventBus;
import dev.outbox.sample.eventbus.Message;
import dev.outbox.sample.eventbus.Origin;
import dev.outbox.sample.eventbus.Streams;
import dev.outbox.sample.events.SystemEvent.SettingChanged;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Settings over HTTP. A setting and the event of its change are stored together. */
@RestController
@RequestMapping("/settings")
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
    @PutMapping("/kill-switch")
    void kill(@RequestBody KillSwitch request) {
        change("kill-switch", request.on() ? "on" : "off");
    }

    @Transactional
    @PutMapping("/max-volume")
    void limit(@Valid @RequestBody MaxVolume request) {
        change("max-volume", request.volume().toPlainString());
    }

    private void change(String key, String value) {
        jdbc.sql(CHANGE).param("key", key).param("value", value).update();
        bus.publish(new Message(Streams.SYSTEM_EVENT, "setting", key, new SettingChanged(key, value), Origin.OPERATOR));
    }

    record KillSwitch(boolean on) {}

    record MaxVolume(@NotNull @Positive BigDecimal volume) {}
}

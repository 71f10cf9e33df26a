package dev.outbox.sample.control;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Settings over HTTP. */
@RestController
@RequestMapping("/settings")
final class SettingController {

    private final Settings settings;

    SettingController(Settings settings) {
        this.settings = settings;
    }

    @PutMapping("/kill-switch")
    void kill(@RequestBody KillSwitch request) {
        settings.change("kill-switch", request.on() ? "on" : "off");
    }

    @PutMapping("/max-volume")
    void limit(@Valid @RequestBody MaxVolume request) {
        settings.change("max-volume", request.volume().toPlainString());
    }

    record KillSwitch(boolean on) {}

    record MaxVolume(@NotNull @Positive BigDecimal volume) {}
}

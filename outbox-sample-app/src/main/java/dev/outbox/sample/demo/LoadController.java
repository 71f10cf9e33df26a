package dev.outbox.sample.demo;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The load over HTTP. */
@RestController
@RequestMapping("/demo/load")
@ConditionalOnBooleanProperty("demo.enabled")
final class LoadController {

    private final Loads loads;

    LoadController(Loads loads) {
        this.loads = loads;
    }

    /**
     * Starts a load.
     *
     * @param rate events per second
     * @param seconds for how long
     */
    @PostMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    LoadStatus start(@RequestParam @Min(1) @Max(1000) int rate, @RequestParam @Min(1) @Max(3600) int seconds) {
        return loads.start(rate, seconds);
    }

    @GetMapping
    LoadStatus status() {
        return loads.status();
    }

    @DeleteMapping
    LoadStatus stop() throws InterruptedException {
        loads.stop();
        return loads.status();
    }
}

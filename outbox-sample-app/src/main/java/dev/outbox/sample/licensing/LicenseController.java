package dev.outbox.sample.licensing;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The license that counts of each guild, over HTTP. */
@RestController
final class LicenseController {

    private final Licenses licenses;

    LicenseController(Licenses licenses) {
        this.licenses = licenses;
    }

    @GetMapping("/licenses")
    List<License> effective() {
        return licenses.effective();
    }
}

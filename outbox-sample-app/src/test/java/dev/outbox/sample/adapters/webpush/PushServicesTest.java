package dev.outbox.sample.adapters.webpush;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A user chooses the endpoint, so this decides to which hosts a user can make this service send. */
class PushServicesTest {

    private final PushServices services =
            new PushServices(List.of("https://push.example.net", "https://*.notify.example.com"));

    @ParameterizedTest
    @CsvSource({
        "https://push.example.net/p/1,                     true",
        "https://PUSH.example.net/p/1,                     true",
        "https://db5.notify.example.com/w/?token=1,        true",
        "http://push.example.net/p/1,                      false",
        "https://push.example.net:8443/p/1,                false",
        "https://push.example.net@localhost/p/1,           false",
        "https://other.push.example.net/p/1,               false",
        "https://localhost/p/1,                            false",
        "https://notify.example.com/p/1,                   false",
        "https://evilnotify.example.com/p/1,               false",
        "https://localhost:80@db5.notify.example.com/p/1,  false",
        "http://db5.notify.example.com/p/1,                false",
        "/p/1,                                             false",
        "mailto:ann@push.example.net,                      false"
    })
    void endpointsOfKnownServicesAreAllowed(URI endpoint, boolean allowed) {
        assertThat(services.contain(endpoint)).isEqualTo(allowed);
    }
}

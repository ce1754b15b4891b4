import unittest

from oslo_config import cfg

from berth_openstack import client
from tests.stub_berth import StubBerth


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.berth = StubBerth()
        self.addCleanup(self.berth.close)
        self.conf = cfg.ConfigOpts()
        self.conf([], project="nova")
        client.register_opts(self.conf)
        self.conf.set_override("url", self.berth.url, group="berth")
        self.conf.set_override("timeout", 5.0, group="berth")

    def test_sends_token_and_request_id(self):
        self.conf.set_override("token", "secret", group="berth")
        self.berth.answer = lambda path, body: {"echo": body}
        answer = client.BerthClient(self.conf).call("/v1/x", {"a": 1}, "req-7")
        self.assertEqual({"echo": {"a": 1}}, answer)
        self.assertEqual("/v1/x", self.berth.requests[0][0])
        self.assertEqual("secret", self.berth.headers[0]["X-Auth-Token"])
        self.assertEqual("req-7", self.berth.headers[0]["X-OpenStack-Request-ID"])

    def test_slow_answer_is_a_failure_that_the_next_call_reports(self):
        berth = client.BerthClient(self.conf)
        self.conf.set_override("timeout", 0.1, group="berth")
        self.berth.delay = 1
        with self.assertRaises(client.BerthUnavailable):
            berth.call("/v1/x", {})
        self.berth.delay = 0
        self.conf.set_override("timeout", 5.0, group="berth")
        berth._session = None
        berth.call("/v1/x", {})
        missed = self.berth.requests[1][1]["missed_calls"]
        self.assertEqual((1, "closed"), (missed["count"], missed["on_failure"]))
        self.assertIn("/v1/x", missed["last_error"])
        berth.call("/v1/x", {})
        self.assertNotIn("missed_calls", self.berth.requests[2][1])

    def test_error_status_is_told_with_the_answer(self):
        self.berth.status = 403
        self.berth.answer = lambda path, body: {"error": "not allowed"}
        with self.assertRaisesRegex(client.BerthUnavailable, "403.*not allowed"):
            client.BerthClient(self.conf).call("/v1/x", {})

    def test_answer_that_is_no_object_is_a_failure(self):
        self.berth.answer = lambda path, body: [1]
        with self.assertRaisesRegex(client.BerthUnavailable, "no JSON object"):
            client.BerthClient(self.conf).call("/v1/x", {})


if __name__ == "__main__":
    unittest.main()

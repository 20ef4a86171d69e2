"""Tests of what is known of kernels without running them."""
